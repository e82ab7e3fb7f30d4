/** `sibyl doctor`: whether a server, or an executor, could start here, and what would keep it from starting. */
import { Command, Options } from "@effect/cli"
import { Effect } from "effect"
import { show } from "../output/answer.ts"
import { CommandFailed, UsageError } from "../output/failure.ts"
import { configurationFlags, jsonOption, serverOptions } from "./settingOptions.ts"

const options = {
  ...serverOptions,
  reach: Options.text("reach").pipe(
    Options.withDescription("also ask this URL through the outbound policy; may be repeated"),
    Options.repeated
  ),
  executor: Options.boolean("executor").pipe(
    Options.withDescription("examine what sibyl executor needs with these settings, in place of a server")
  ),
  json: jsonOption
}

const reachRule = "an http or https URL, such as https://api.example.com"

const isUrl = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

/** The command. */
export const doctorCommand = Command.make("doctor", options, ({ executor, json, reach, ...flags }) =>
  Effect.gen(function* () {
    const [{ examine }, { examineExecutor }, { isHealthy, reportAnswer }, { readSettings }] = yield* Effect.promise(() =>
      Promise.all([
        import("../doctor/examine.ts"),
        import("../doctor/examineExecutor.ts"),
        import("../doctor/reportAnswer.ts"),
        import("../config/readSettings.ts")
      ])
    )
    const wrong = reach.find((url) => !isUrl(url))
    if (wrong !== undefined) {
      return yield* new UsageError({ field: "--reach", rule: reachRule, message: `--reach must be ${reachRule}, not "${wrong}"` })
    }
    const given = configurationFlags(flags)
    // What is wrong in a file or in the environment is a finding; what was typed for this command is its wrong use.
    yield* given.fault ?? readSettings({ flags: given.settings, environment: {} })
    const report = yield* (executor ? examineExecutor : examine)(given, reach)
    yield* show(reportAnswer(report), json)
    if (!isHealthy(report)) return yield* new CommandFailed({ message: "not everything is well, see above" })
  })
).pipe(Command.withDescription("Check configuration, database, clock, signing key, workers (or the cluster) and port. It changes nothing."))
