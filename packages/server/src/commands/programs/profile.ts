/** `sibyl profile`: where the gas of a run goes. */
import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { show } from "../../output/answer.ts"
import { showingCompiler } from "./build.ts"
import { requestOf, requestOptions } from "./requestOptions.ts"
import { anySetting, configurationFlags, jsonOption } from "../settingOptions.ts"

const options = {
  ...requestOptions,
  output: Options.text("output").pipe(
    Options.withDescription("the flame graph's file (default: beside the module, as NAME.speedscope.json)"),
    Options.optional
  ),
  ...anySetting,
  json: jsonOption
}

/** The command. */
export const profileCommand = Command.make("profile", options, (given) =>
  Effect.gen(function* () {
    const [{ loadConfiguration }, { profileProgram }, { failedRun }] = yield* Effect.promise(() =>
      Promise.all([
        import("../../config/loadConfiguration.ts"),
        import("../../programs/profileProgram.ts"),
        import("../../programs/failedRun.ts")
      ])
    )
    const configuration = yield* loadConfiguration(configurationFlags({ config: given.config, set: given.set }))
    const profiling = profileProgram(requestOf(given, true), Option.getOrUndefined(given.output), configuration)
    const { answer, run } = yield* showingCompiler(profiling, given.json)
    yield* show(answer, given.json)
    yield* failedRun(run, configuration)
  })
).pipe(Command.withDescription("Run a program once and print the gas of each function; a flame graph goes to a file."))
