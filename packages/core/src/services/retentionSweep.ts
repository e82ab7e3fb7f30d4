/** Forgets old reports in the background, a few at a time, so that nobody waits for it (decision D11). */
import { Clock, Effect, Layer } from "effect"
import { Retention } from "../ports/retention.ts"
import { Options } from "./serviceOptions.ts"

/** How often the reports are looked through. */
export const sweepIntervalMs = 3_600_000

/** One transaction deletes at most so many; between two of them others have their turn. */
const batchReports = 500
const restMs = 100

/** Deletes until nothing is left that is older than `retentionMs`. */
const sweepAll = (retentionMs: number) =>
  Effect.gen(function*() {
    const retention = yield* Retention
    const beforeMs = (yield* Clock.currentTimeMillis) - retentionMs
    while ((yield* retention.sweep(beforeMs, batchReports)) === batchReports) yield* Effect.sleep(restMs)
  })

/** Sweeps when the service starts and every hour after. A store that fails is asked again in an hour. */
export const layerRetentionSweep: Layer.Layer<never, never, Options | Retention> = Layer.scopedDiscard(
  Effect.gen(function*() {
    const { retentionMs } = yield* Options
    if (retentionMs === null) return
    const sweep = Effect.catchAllCause(sweepAll(retentionMs), (cause) =>
      Effect.logWarning("old reports could not be swept", cause))
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(sweep, Effect.sleep(sweepIntervalMs))))
  })
)
