/** Deletion of old reports in memory. */
import { type Context, Effect } from "effect"
import type { PlacedReport } from "../resultStore.ts"
import type { Retention } from "../retention.ts"
import { reportName } from "./memoryResultStore.ts"
import type { MemoryState } from "./memoryState.ts"

/** Deletes the oldest of these reports, at most `maxReports`, except last results. */
const forget = (state: MemoryState, reports: ReadonlyArray<PlacedReport>, maxReports: number): number => {
  const kept = new Set<PlacedReport>(state.lastResults.values())
  const old = reports
    .filter((placed) => !kept.has(placed))
    .toSorted(byAge)
    .slice(0, maxReports)
  const gone = new Set(old)
  for (const { report } of old) {
    const name = reportName(report.projectId, report.id)
    state.reportsById.delete(name)
    state.drawnHoldIds.delete(name)
  }
  for (const [name, reports] of state.reports) {
    const left = reports.filter((placed) => !gone.has(placed))
    if (left.length === 0) state.reports.delete(name)
    else state.reports.set(name, left)
  }
  return old.length
}

const byAge = (left: PlacedReport, right: PlacedReport): number => left.position.executedAtMs - right.position.executedAtMs

const allReports = (state: MemoryState): ReadonlyArray<PlacedReport> => [...state.reports.values()].flat()

const beyondShare = (state: MemoryState, keptOfProject: number): ReadonlyArray<PlacedReport> => {
  const newer = new Map<string, number>()
  return allReports(state)
    .toSorted(byAge)
    .toReversed()
    .filter(({ report: { projectId } }) => {
      const kept = newer.get(projectId) ?? 0
      newer.set(projectId, kept + 1)
      return kept >= keptOfProject
    })
}

/** Retention over a state. */
export const memoryRetention = (state: MemoryState): Context.Tag.Service<Retention> => ({
  sweep: (beforeMs, maxReports) =>
    Effect.sync(() => {
      const old = allReports(state).filter(({ position }) => position.executedAtMs < beforeMs)
      return forget(state, old, maxReports)
    }),
  trim: (keptOfProject, maxReports) => Effect.sync(() => forget(state, beyondShare(state, keptOfProject), maxReports))
})
