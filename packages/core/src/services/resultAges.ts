/** The ages of results, independent of jumps of the wall clock (decision D27). */
import { Clock, Context, Effect, Layer } from "effect"
import { RecentMap } from "../domain/encoding/recentMap.ts"
import { ageMsOf, type ExecutionReport } from "../domain/reports/executionReport.ts"

/** At least as many of this process's newest results are dated by the monotonic clock; at most twice as many. */
const knownResults = 10_000

/** Knows the ages of results. */
export class ResultAges extends Context.Tag("@sibyl/core/ResultAges")<
  ResultAges,
  {
    /** Notes that the result of the run with this id is made now. */
    readonly born: (id: string) => Effect.Effect<void>
    /** In milliseconds; infinite if the result is dated in the future and another process made it. */
    readonly ageMs: (report: ExecutionReport) => Effect.Effect<number>
  }
>() {
  /** On the layer's clock. */
  static readonly layer = Layer.sync(ResultAges, () => {
    const births = new RecentMap<{ readonly bornMs: number }>(knownResults)
    const steadyMs = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos / 1_000n) / 1e3)
    return {
      born: (id) =>
        Effect.map(steadyMs, (bornMs) => {
          births.set(id, { bornMs })
        }),
      ageMs: (report) =>
        Effect.suspend(() => {
          const birth = births.get(report.id)
          return birth === undefined
            ? Effect.map(Clock.currentTimeMillis, (nowMs) => ageMsOf(report, nowMs))
            : Effect.map(steadyMs, (nowMs) => Math.max(0, nowMs - birth.bornMs))
        })
    }
  })
}
