/** Completed runs, in memory. */
import { type Context, Effect, Option } from "effect"
import type { ExecutionReport } from "../../domain/reports/executionReport.ts"
import { lastResultKeyOf } from "../../domain/reports/lastResultKey.ts"
import type { LastResultMode, PlacedReport, ReportPosition, ReportQuery, ResultStore } from "../resultStore.ts"
import type { MemoryState } from "./memoryState.ts"

/** The key of the report with this id. */
export const reportName = (projectId: string, id: string): string => `${projectId}/${id}`

/** The key of what is kept of a drId. */
export const requestName = (projectId: string, drId: string): string => `${projectId}/${drId}`

const isOlder = (left: ReportPosition, right: ReportPosition): boolean =>
  left.executedAtMs < right.executedAtMs || (left.executedAtMs === right.executedAtMs && left.sequence < right.sequence)

const offerAsLast = (state: MemoryState, mode: LastResultMode, placed: PlacedReport): void => {
  const name = `${placed.report.projectId}/${mode}/${lastResultKeyOf(placed.report.dataRequest)}`
  const last = state.lastResults.get(name)
  if (last === undefined || isOlder(last.position, placed.position)) state.lastResults.set(name, placed)
}

/** Appends a report. Called by the ledger, in the same step as the posting; `entry` is the journal entry of its charge. */
export const appendReport = (state: MemoryState, report: ExecutionReport, entry: number): void => {
  const name = requestName(report.projectId, report.dataResult.drId)
  const reports = state.reports.get(name) ?? []
  const position = { executedAtMs: report.executedAtMs, sequence: entry }
  const placed = { report, position }
  const newer = reports.findLastIndex((other) => isOlder(other.position, position)) + 1
  reports.splice(newer, 0, placed)
  state.reportsById.set(reportName(report.projectId, report.id), report)
  state.reports.set(name, reports)
  offerAsLast(state, "last", placed)
  if (report.dataResult.exitCode === 0) offerAsLast(state, "success", placed)
}

const page = (state: MemoryState, query: ReportQuery): ReadonlyArray<PlacedReport> =>
  (state.reports.get(requestName(query.projectId, query.drId)) ?? [])
    .filter(
      ({ position }) =>
        (query.startMs === undefined || query.startMs <= position.executedAtMs) &&
        (query.endMs === undefined || position.executedAtMs < query.endMs) &&
        (query.before === undefined || isOlder(position, query.before))
    )
    .reverse()
    .slice(0, query.amount)

/** The result store over a state. */
export const memoryResultStore = (state: MemoryState): Context.Tag.Service<ResultStore> => ({
  last: (projectId, key, mode) =>
    Effect.sync(() => Option.fromNullable(state.lastResults.get(`${projectId}/${mode}/${lastResultKeyOf(key)}`)?.report)),
  find: (projectId, id) => Effect.sync(() => Option.fromNullable(state.reportsById.get(reportName(projectId, id)))),
  newest: (projectId, amount) =>
    Effect.sync(() =>
      [...state.reportsById.values()]
        .filter((report) => report.projectId === projectId)
        .slice(-amount)
        .toReversed()
    ),
  page: (query) => Effect.sync(() => page(state, query))
})
