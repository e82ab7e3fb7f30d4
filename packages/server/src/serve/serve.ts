/** Serves a configuration in this process until it is interrupted. */
import { makeFolder } from "@sibyl/sql"
import { Effect } from "effect"
import type { Configuration } from "../config/configuration.ts"
import { CommandFailed } from "../output/failure.ts"
import { sqliteFileOf } from "../service/stores.ts"
import { announce } from "./announce.ts"
import { demonstrate } from "./demo/demonstrate.ts"
import { demoUpstream, withMarket } from "./demo/demoUpstream.ts"
import { endsInTime } from "./endsInTime.ts"
import type { Listen } from "./listen/listening.ts"
import { shownInDemo } from "./metrics/metricsAccess.ts"
import { type ReadMetrics, readOwn } from "./metrics/serveMetrics.ts"
import { logged } from "./observe.ts"
import { listenFor, openOracle } from "./openOracle.ts"
import type { ServeSettings } from "./serveSettings.ts"

const makeDataFolder = ({ data }: Configuration) =>
  Effect.try({
    try: () => makeFolder(data),
    catch: (cause) => new CommandFailed({ message: cause instanceof Error ? cause.message : String(cause) })
  })

/** Makes the data folder where it is needed; the outbound options of the service, with the demonstration's market if it is wanted. */
export const prepare = (settings: ServeSettings) =>
  Effect.gen(function* () {
    const { configuration } = settings
    if (settings.demo || sqliteFileOf(configuration.database)?.startsWith(configuration.data) === true) {
      yield* makeDataFolder(configuration)
    }
    const upstream = settings.demo && !settings.live ? yield* demoUpstream : {}
    return withMarket(configuration.outbound, upstream)
  })

/** Serves until it is interrupted; then running work is finished and everything is released. */
export const serve = (listen: Listen, settings: ServeSettings) =>
  logged(
    settings.configuration,
    Effect.gen(function* () {
      const ready = yield* endsInTime()
      const { demo, json } = settings
      const metrics = shownInDemo(settings.configuration.metrics, demo)
      const configuration = { ...settings.configuration, metrics }
      const outbound = yield* prepare(settings)
      const oracle = yield* openOracle(configuration, outbound)
      const ofExecutors = settings.running?.readMetrics
      const read: ReadMetrics = async () => (await Promise.all([readOwn(), ofExecutors?.() ?? []])).flat()
      const listening = yield* listenFor(listen, oracle, configuration, { read })
      const demonstrating = demo ? demonstrate(oracle, configuration.data, listening.url) : Effect.succeed(undefined)
      yield* announce({ ...settings, listening }, json, demonstrating)
      yield* ready
      return yield* Effect.never
    }).pipe(Effect.scoped)
  )
