/** Letting go of old reports in memory. */
import { type Context, Effect } from "effect"
import type { PlacedReport } from "../resultStore.ts"
import type { Retention } from "../retention.ts"
import { reportName } from "./memoryResultStore.ts"
import type { MemoryState } from "./memoryState.ts"

const sweep = (state: MemoryState, beforeMs: number, maxReports: number): number => {
  const kept = new Set<PlacedReport>(state.lastResults.values())
  const old = [...state.reports.values()]
    .flatMap((reports) => reports.filter((placed) => placed.position.executedAtMs < beforeMs && !kept.has(placed)))
    .toSorted((left, right) => left.position.executedAtMs - right.position.executedAtMs)
    .slice(0, maxReports)
  const gone = new Set(old)
  for (const { report } of old) state.reportsById.delete(reportName(report.projectId, report.id))
  for (const [name, reports] of state.reports) {
    const left = reports.filter((placed) => !gone.has(placed))
    if (left.length === 0) state.reports.delete(name)
    else state.reports.set(name, left)
  }
  return old.length
}

/** Retention over a state. */
export const memoryRetention = (state: MemoryState): Context.Tag.Service<Retention> => ({
  sweep: (beforeMs, maxReports) => Effect.sync(() => sweep(state, beforeMs, maxReports))
})
