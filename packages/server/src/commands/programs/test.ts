/** `sibyl test`: a program's golden cases, on the VM of the server. */
import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { show } from "../../output/answer.ts"
import { CommandFailed } from "../../output/failure.ts"
import { folderArgument, showingCompiler } from "./build.ts"
import { profileOption } from "./run.ts"
import { jsonOption } from "../settingOptions.ts"

const options = {
  folder: folderArgument,
  program: Options.text("program").pipe(
    Options.withDescription("a module to test instead of what the folder's sources compile to"),
    Options.optional
  ),
  tally: Options.text("tally").pipe(Options.withDescription("the module of the tally phase (default: the same)"), Options.optional),
  update: Options.boolean("update").pipe(Options.withDescription("write what comes out into the cases, as what is expected")),
  profile: profileOption,
  json: jsonOption
}

/** The command. */
export const testCommand = Command.make("test", options, ({ folder, json, profile, program, tally, update }) =>
  Effect.gen(function* () {
    const { testProgram } = yield* Effect.promise(() => import("../../programs/testProgram.ts"))
    const options = { folder, update, profile, program: Option.getOrUndefined(program), tally: Option.getOrUndefined(tally) }
    const { answer, failed, total } = yield* showingCompiler(testProgram(options), json)
    yield* show(answer, json)
    if (failed > 0) return yield* new CommandFailed({ message: `${failed} of ${total} cases failed` })
  })
).pipe(Command.withDescription("Run a program's golden cases (cases/*.json), the upstream's answers taken from them."))
