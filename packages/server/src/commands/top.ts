/** `sibyl top`: what a running server does, from its metrics. */
import { Command, Options } from "@effect/cli"
import { Config, Effect } from "effect"
import { serverAddress } from "../feed/serverAddress.ts"
import { UsageError } from "../output/failure.ts"
import { jsonOption } from "./settingOptions.ts"

const leastMs = 100
const mostMs = 3_600_000

const options = {
  url: Options.text("url").pipe(
    Options.withDescription("the server (default: http://127.0.0.1:8717; environment: SIBYL_URL, or SIBYL_PORT and SIBYL_PREFIX)"),
    Options.optional
  ),
  token: Options.redacted("token").pipe(
    Options.withDescription("the token of its metrics; better kept in the environment (SIBYL_METRICS_TOKEN)"),
    Options.withFallbackConfig(Config.redacted("SIBYL_METRICS_TOKEN")),
    Options.optional
  ),
  intervalMs: Options.integer("interval").pipe(
    Options.withDescription("milliseconds between two looks, from 100 to 3600000 (default: 2000)"),
    Options.withDefault(2_000)
  ),
  once: Options.boolean("once").pipe(Options.withDescription("look twice, print what has happened in between, and end")),
  json: jsonOption
}

/** The command. */
export const topCommand = Command.make("top", options, ({ url, ...given }) =>
  Effect.gen(function* () {
    if (given.intervalMs < leastMs || given.intervalMs > mostMs) {
      const rule = `from ${leastMs} to ${mostMs}`
      return yield* new UsageError({ field: "--interval", rule, message: `--interval must be ${rule}, not ${given.intervalMs}` })
    }
    const address = yield* serverAddress(url, process.env)
    const { top } = yield* Effect.promise(() => import("../top/runTop.ts"))
    return yield* top({ ...given, url: address })
  })
).pipe(Command.withDescription("Show what a running server does, live, from its metrics. Stop it with Ctrl-C."))
