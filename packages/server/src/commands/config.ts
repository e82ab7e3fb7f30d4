/** `sibyl config`: every effective setting, and where it comes from. */
import { Command } from "@effect/cli"
import { Effect } from "effect"
import { show } from "../output/answer.ts"
import { configurationFlags, jsonOption, serverOptions } from "./settingOptions.ts"

/** The command. */
export const configCommand = Command.make("config", { ...serverOptions, json: jsonOption }, ({ json, ...options }) =>
  Effect.gen(function* () {
    const [{ loadConfiguration }, { configurationAnswer }] = yield* Effect.promise(() =>
      Promise.all([import("../config/loadConfiguration.ts"), import("../config/configurationAnswer.ts")])
    )
    yield* show(configurationAnswer(yield* loadConfiguration(configurationFlags(options))), json)
  })
).pipe(Command.withDescription("Show every setting and where it comes from; secrets are not shown."))
