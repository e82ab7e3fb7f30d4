/** `sibyl doctor`: whether a server, or an executor, could start here, and what would keep it from starting. */
import { Command, Options } from "@effect/cli"
import { Effect } from "effect"
import { show } from "../output/answer.ts"
import { CommandFailed } from "../output/failure.ts"
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

/** The command. */
export const doctorCommand = Command.make("doctor", options, ({ executor, json, reach, ...flags }) =>
  Effect.gen(function* () {
    const [{ examine }, { examineExecutor }, { isHealthy, reportAnswer }] = yield* Effect.promise(() =>
      Promise.all([import("../doctor/examine.ts"), import("../doctor/examineExecutor.ts"), import("../doctor/reportAnswer.ts")])
    )
    const report = yield* (executor ? examineExecutor : examine)(configurationFlags(flags), reach)
    yield* show(reportAnswer(report), json)
    if (!isHealthy(report)) return yield* new CommandFailed({ message: "not everything is well, see above" })
  })
).pipe(Command.withDescription("Check configuration, database, clock, signing key, workers (or the cluster) and port. It changes nothing."))
