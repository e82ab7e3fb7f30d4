/** `sibyl run`: one request to a program in a file, on the VM of the server. */
import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { show } from "../../output/answer.ts"
import { encodings } from "../../programs/shownResult.ts"
import { showingCompiler } from "./build.ts"
import { requestOf, requestOptions } from "./requestOptions.ts"
import { anySetting, configurationFlags, jsonOption } from "../settingOptions.ts"

/** Whether the dearest functions are printed too. */
export const profileOption = Options.boolean("profile").pipe(
  Options.withDescription("also print the functions that used the most gas; sibyl profile prints all")
)

const options = {
  ...requestOptions,
  encoding: Options.choice("encoding", encodings).pipe(
    Options.withDescription("how the result is shown (default: as text where it is some, else in hex)"),
    Options.optional
  ),
  record: Options.text("record").pipe(
    Options.withDescription("also keep the run, its upstream's answers among it, as a golden case in this file"),
    Options.optional
  ),
  profile: profileOption,
  ...anySetting,
  json: jsonOption
}

/** The command. */
export const runCommand = Command.make("run", options, (given) =>
  Effect.gen(function* () {
    const [{ loadConfiguration }, { runProgram }, { outcomeAnswer }, { failedRun }] = yield* Effect.promise(() =>
      Promise.all([
        import("../../config/loadConfiguration.ts"),
        import("../../programs/runProgram.ts"),
        import("../../programs/outcomeAnswer.ts"),
        import("../../programs/failedRun.ts")
      ])
    )
    const configuration = yield* loadConfiguration(configurationFlags({ config: given.config, set: given.set }))
    const request = { ...requestOf(given, given.profile), record: Option.getOrUndefined(given.record) }
    const run = yield* showingCompiler(runProgram(request, configuration), given.json)
    yield* show(outcomeAnswer(run.outcome, Option.getOrUndefined(given.encoding)), given.json)
    yield* failedRun(run, configuration)
  })
).pipe(Command.withDescription("Run a program once, on the engine of the server; nothing is stored."))
