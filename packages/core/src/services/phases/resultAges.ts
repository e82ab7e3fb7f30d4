/** The ages of results, independent of jumps of the wall clock (decision D27). */
import { Clock, Context, Effect, Layer } from "effect"
import { RecentMap } from "../../domain/encoding/recentMap.ts"
import { ageMsOf, type ExecutionReport } from "../../domain/reports/executionReport.ts"

/** At least as many of this process's newest results are dated by the monotonic clock; at most twice as many. */
const knownResults = 10_000

/** Knows the ages of results. */
export class ResultAges extends Context.Tag("@sibyl/core/ResultAges")<
  ResultAges,
  {
    /** Notes that the result of the run with this id is made now, on the monotonic clock. */
    readonly born: (id: string, nowNanos: bigint) => void
    /** In milliseconds; infinite if the result is dated in the future and another process made it. */
    readonly ageMs: (report: ExecutionReport) => Effect.Effect<number>
  }
>() {
  /** On the layer's clock. */
  static readonly layer = Layer.sync(ResultAges, () => {
    const births = new RecentMap<{ readonly bornMs: number }>(knownResults)
    const msOf = (nanos: bigint): number => Number(nanos / 1_000n) / 1e3
    return {
      born: (id, nowNanos) => births.set(id, { bornMs: msOf(nowNanos) }),
      ageMs: (report) =>
        Effect.suspend(() => {
          const birth = births.get(report.id)
          return birth === undefined
            ? Effect.map(Clock.currentTimeMillis, (nowMs) => ageMsOf(report, nowMs))
            : Effect.map(Clock.currentTimeNanos, (nanos) => Math.max(0, msOf(nanos) - birth.bornMs))
        })
    }
  })
}
