/** How old results are, whatever the wall clock does meanwhile (decision D27). */
import { Clock, Context, Effect, Layer } from "effect"
import { ageMsOf, type ExecutionReport } from "../domain/reports/executionReport.ts"

/** How many of this process's results are known by the clock that never goes back: the newest ones. */
const knownResults = 10_000

/** Tells ages. */
export class ResultAges extends Context.Tag("@sibyl/core/ResultAges")<
  ResultAges,
  {
    /** The result of this run, by its id, is made now. */
    readonly born: (id: string) => Effect.Effect<void>
    /** In milliseconds; infinite when the result claims to come from the future and this process did not make it. */
    readonly ageMs: (report: ExecutionReport) => Effect.Effect<number>
  }
>() {
  /** On the layer's clock. */
  static readonly layer = Layer.sync(ResultAges, () => {
    const bornMs = new Map<string, number>()
    const steadyMs = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos / 1_000n) / 1e3)
    return {
      born: (id) =>
        Effect.map(steadyMs, (nowMs) => {
          bornMs.set(id, nowMs)
          const [oldest] = bornMs.keys()
          if (bornMs.size > knownResults && oldest !== undefined) bornMs.delete(oldest)
        }),
      ageMs: (report) =>
        Effect.suspend(() => {
          const sinceMs = bornMs.get(report.id)
          return sinceMs === undefined
            ? Effect.map(Clock.currentTimeMillis, (nowMs) => ageMsOf(report, nowMs))
            : Effect.map(steadyMs, (nowMs) => Math.max(0, nowMs - sinceMs))
        })
    }
  })
}
