/** The command line `sibyl`: its commands, and how an error reaches a person or a script. */
import { type CliApp, Command, HelpDoc, ValidationError } from "@effect/cli"
import { Cause, Console, Effect, Either, Exit, Logger, LogLevel } from "effect"
import { isHelpWanted, showHelp } from "./commandHelp.ts"
import { type CommandNode, commandTree, type Described } from "./commandTree.ts"
import { interruptedCode } from "./commandInterrupted.ts"
import { checkWords, type MeantCommand } from "./commandWords.ts"
import { backupCommand } from "../commands/safekeeping/backup.ts"
import { auditCommand } from "../commands/audit.ts"
import { buildCommand } from "../commands/programs/build.ts"
import { clusterCommand } from "../commands/cluster.ts"
import { configCommand } from "../commands/config.ts"
import { creditsCommand, creditsSubcommands } from "../commands/credits.ts"
import { deployCommand } from "../commands/deploy.ts"
import { doctorCommand } from "../commands/doctor.ts"
import { executorCommand } from "../commands/executor.ts"
import { feedCommand } from "../commands/feed.ts"
import { feedsCommand, feedsSubcommands } from "../commands/feeds.ts"
import { keyCommand, keySubcommands } from "../commands/key.ts"
import { newCommand } from "../commands/programs/newProgram.ts"
import { orgCommand, orgSubcommands } from "../commands/org.ts"
import { programCommand, programSubcommands } from "../commands/program.ts"
import { profileCommand } from "../commands/programs/profile.ts"
import { projectCommand, projectSubcommands } from "../commands/project.ts"
import { proxyCommand, proxySubcommands } from "../commands/proxy.ts"
import { replayCommand } from "../commands/programs/replay.ts"
import { restoreCommand } from "../commands/safekeeping/restore.ts"
import { runCommand } from "../commands/programs/run.ts"
import { runsCommand } from "../commands/runs.ts"
import { serveCommand } from "../commands/serve.ts"
import { signingKeyCommand, signingKeySubcommands } from "../commands/safekeeping/signingKey.ts"
import { testCommand } from "../commands/programs/test.ts"
import { topCommand } from "../commands/top.ts"
import { askedShell, completionScript } from "./completions.ts"
import type { LoadServerRuntime } from "../serve/listen/listening.ts"
import { CommandFailed, exitCodeOf, exitCodes, failureText, failureContent, UsageError } from "../output/failure.ts"
import { jsonDocument } from "../output/jsonDocument.ts"
import { isOverviewWanted, showOverview } from "./overview.ts"
import { isColoured, paintFor, withoutColours } from "../output/paint.ts"
import { survivesUnreadOutput } from "../output/unreadOutput.ts"
import { withoutSecrets } from "../output/withoutSecrets.ts"
import { serverVersion } from "../output/version.ts"

const summary = "Runs WebAssembly Oracle Programs and signs what they found."

const commandsOf = (loadRuntime: LoadServerRuntime) =>
  [
    serveCommand(loadRuntime),
    clusterCommand(loadRuntime),
    executorCommand,
    orgCommand,
    projectCommand,
    keyCommand,
    creditsCommand,
    programCommand,
    proxyCommand,
    runsCommand,
    auditCommand,
    feedCommand,
    feedsCommand,
    newCommand,
    buildCommand,
    testCommand,
    runCommand,
    profileCommand,
    replayCommand,
    deployCommand,
    configCommand,
    topCommand,
    doctorCommand,
    backupCommand,
    restoreCommand,
    signingKeyCommand
  ] as const

/** The library does not expose nested subcommands. */
const below: Readonly<Record<string, ReadonlyArray<Described>>> = {
  org: orgSubcommands,
  project: projectSubcommands,
  key: keySubcommands,
  credits: creditsSubcommands,
  program: programSubcommands,
  proxy: proxySubcommands,
  feeds: feedsSubcommands,
  "signing-key": signingKeySubcommands
}

/** Turns a validation error of the library into a usage error: one line, exit code 2. */
const asUsageError = (error: unknown): unknown =>
  ValidationError.isValidationError(error)
    ? new UsageError({
        message: withoutColours(HelpDoc.toAnsiText(error.error))
          .trim()
          .replaceAll(/\s*\n\s*/g, " ")
      })
    : error

/** An expected failure is printed in one line; anything else is a bug and is printed in full. */
const textOf = (cause: Cause.Cause<unknown>, json: boolean): string | undefined => {
  if (Cause.isInterruptedOnly(cause)) return undefined
  const error = Cause.squash(cause)
  if (Cause.isFailure(cause) && error instanceof Error) {
    return failureText(failureContent(error), json, paintFor(process.stderr))
  }
  const whole = Cause.pretty(cause)
  return json ? jsonDocument({ _tag: "Defect", error: whole, message: whole }) : whole
}

const printFailure = (cause: Cause.Cause<unknown>, json: boolean): Effect.Effect<void> =>
  Effect.sync(() => {
    const text = textOf(cause, json)
    if (text !== undefined) process.stderr.write(`${withoutSecrets(text)}\n`)
  })

/** The library always prints help in colours, and prints errors that this module prints too. */
const withOurConsole = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Console.consoleWith((console) =>
    Console.withConsole(effect, {
      ...console,
      log: (...texts) =>
        isColoured(process.stdout)
          ? console.log(...texts)
          : console.log(...texts.map((text) => (typeof text === "string" ? withoutColours(text) : text))),
      error: () => Effect.void
    })
  )

// Standard output is for answers only.
const logger = Logger.replace(Logger.defaultLogger, Logger.prettyLogger({ stderr: true }))

/** Every command with its options and subcommands. `loadRuntime` is needed only to run one. */
export const sibylTree = (loadRuntime: LoadServerRuntime): CommandNode => ({
  path: "sibyl",
  summary: () => summary,
  meanings: () => new Map(),
  options: new Map(),
  args: [],
  below: commandTree("sibyl", commandsOf(loadRuntime), below)
})

/** The answer if the command definitions suffice, as for help; `undefined` if a command is to be run. */
const fromTree = (tree: CommandNode, meant: MeantCommand, words: ReadonlyArray<string>): Effect.Effect<void> | undefined => {
  if (isOverviewWanted(meant)) return showOverview(meant.node)
  if (isHelpWanted(meant)) return showHelp(meant.node)
  const shell = askedShell(words)
  return shell === undefined ? undefined : Effect.sync(() => void process.stdout.write(completionScript(tree, shell)))
}

/** Paths are relative to the working folder, which somebody may have removed meanwhile. */
const inFolder = Effect.try({
  try: () => void process.cwd(),
  catch: () => new CommandFailed({ message: "the working folder has been removed; change to another one" })
})

/** Runs one command line. If the command fails, it prints why on stderr and fails too. */
export const commandLine = (
  argv: ReadonlyArray<string>,
  loadRuntime: LoadServerRuntime
): Effect.Effect<void, unknown, CliApp.CliApp.Environment> => {
  survivesUnreadOutput()
  const commands = commandsOf(loadRuntime)
  const command = Command.make("sibyl").pipe(Command.withDescription(summary), Command.withSubcommands(commands))
  const tree = sibylTree(loadRuntime)
  const words = argv.slice(2)
  const run = Command.run(command, { name: "Sibyl", version: serverVersion })
  return Either.match(checkWords(tree, words), {
    onLeft: (error) => Effect.fail(error),
    onRight: (found) => {
      const [, ...names] = found.node.path.split(" ")
      return fromTree(tree, found, words) ?? Effect.zipRight(inFolder, run([...argv.slice(0, 2), ...names, ...found.rest]))
    }
  }).pipe(
    Effect.mapError(asUsageError),
    Effect.tapErrorCause((cause) => printFailure(cause, words.includes("--json"))),
    withOurConsole,
    Effect.provide(logger),
    Logger.withMinimumLogLevel(LogLevel.Info)
  )
}

/** The exit code of the process as documented. */
export const exitCode = (exit: Exit.Exit<unknown, unknown>, argv: ReadonlyArray<string>): number => {
  if (Exit.isSuccess(exit)) return exitCodes.ok
  if (Cause.isInterruptedOnly(exit.cause)) return interruptedCode(argv.slice(2))
  const error = Cause.squash(exit.cause)
  return error instanceof Error && Cause.isFailure(exit.cause) ? exitCodeOf(error) : exitCodes.failed
}
