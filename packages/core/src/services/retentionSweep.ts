/** Deletes old reports, and those beyond a project's limit, in the background in small batches (decision D11). */
import { Clock, type Context, Effect, Layer } from "effect"
import { DurableFeeds } from "../ports/feeds/durableFeeds.ts"
import { Retention } from "../ports/retention.ts"
import { Options } from "./settings/serviceOptions.ts"
import { logFailed } from "../ports/logs/logFailed.ts"

/** How often reports are swept. */
export const sweepIntervalMs = 3_600_000

/** The most reports that one transaction deletes; other transactions run in between. */
const batchReports = 500
const restMs = 100

/** Deletes in batches until a batch is not full. */
const untilDone = (batch: Effect.Effect<number>) =>
  Effect.gen(function* () {
    while ((yield* batch) === batchReports) yield* Effect.sleep(restMs)
  })

/** Deletes what is older than `retentionMs`, and what a project has beyond its limit. */
const sweepAll = ({ reportsPerProject, retentionMs }: Context.Tag.Service<Options>) =>
  Effect.gen(function* () {
    const retention = yield* Retention
    const beforeMs = (yield* Clock.currentTimeMillis) - (retentionMs ?? 0)
    const feeds = yield* DurableFeeds
    if (retentionMs !== null) yield* untilDone(retention.sweep(beforeMs, batchReports))
    if (retentionMs !== null) yield* untilDone(feeds.sweep(beforeMs, batchReports))
    if (reportsPerProject !== null) yield* untilDone(retention.trim(reportsPerProject, batchReports))
  })

/** Sweeps when the service starts and every hour after that. If the store fails, the next attempt is an hour later. */
export const layerRetentionSweep: Layer.Layer<never, never, DurableFeeds | Options | Retention> = Layer.scopedDiscard(
  Effect.gen(function* () {
    const options = yield* Options
    if (options.retentionMs === null && options.reportsPerProject === null) return
    const sweep = Effect.catchAllCause(sweepAll(options), (cause) =>
      logFailed("old reports could not be swept", cause, { part: "storage" })
    )
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(sweep, Effect.sleep(sweepIntervalMs))))
  })
)
