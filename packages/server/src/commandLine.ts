/** The command line `sibyl`: its commands, and how an error reaches a person. */
import { Command, type CliApp, ValidationError } from "@effect/cli"
import { Cause, Effect, Layer, Logger } from "effect"
import { feedCommand } from "./commands/feed.ts"
import { serveCommand } from "./commands/serve.ts"
import type { Listen } from "./listen/listening.ts"
import { serverVersion } from "./version.ts"

const sibyl = (listen: Listen) =>
  Command.make("sibyl").pipe(
    Command.withDescription("Runs WebAssembly Oracle Programs and signs what they found."),
    Command.withSubcommands([serveCommand(listen), feedCommand])
  )

/** An expected failure is one line; anything else is shown whole, because it is ours. */
const explain = (cause: Cause.Cause<unknown>): string | undefined => {
  if (Cause.isInterruptedOnly(cause)) return undefined
  const error = Cause.squash(cause)
  if (ValidationError.isValidationError(error)) return undefined
  return Cause.isFailure(cause) && error instanceof Error ? `sibyl: ${error.message}` : Cause.pretty(cause)
}

/** Runs one command line to its end. It fails, after telling why on stderr, when the command did. */
export const commandLine = (
  argv: ReadonlyArray<string>,
  listen: Listen
): Effect.Effect<void, unknown, CliApp.CliApp.Environment> =>
  Command.run(sibyl(listen), { name: "Sibyl", version: serverVersion })(argv).pipe(
    Effect.tapErrorCause((cause) =>
      Effect.sync(() => {
        const text = explain(cause)
        if (text !== undefined) process.stderr.write(`${text}\n`)
      })
    ),
    Effect.provide(Layer.mergeAll(Logger.pretty))
  )
