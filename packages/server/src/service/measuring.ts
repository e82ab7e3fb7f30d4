/** What this process measures: one set for all services in it, because Effect's metrics belong to the process. */
import { makeEffectMetrics, type MetricsKept } from "@sibyl/core"
import { measureProcess } from "@sibyl/telemetry"

let kept: MetricsKept | undefined

/** Begins to measure with the first call; the same ever after. */
export const measuring = (): MetricsKept => {
  if (kept !== undefined) return kept
  kept = makeEffectMetrics()
  measureProcess(kept)
  return kept
}
