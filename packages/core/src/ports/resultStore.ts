/** The port to completed runs: the last result of a request, the reports of a drId. */
import { Context, type Effect, type Option } from "effect"
import type { LastResultKey } from "../domain/protocol/dataRequest.ts"
import type { ExecutionReport } from "../domain/reports/executionReport.ts"

/** Which last result: the last with exit code 0, or the last with any exit code. */
export type LastResultMode = "success" | "last"

/** One page of a project's reports of one drId, newest first. */
export interface ReportQuery {
  readonly projectId: string
  readonly drId: string
  /** Inclusive. */
  readonly startMs?: number
  /** Exclusive. */
  readonly endMs?: number
  readonly amount: number
  /** Where the page starts: only reports older than this position. */
  readonly before?: ReportPosition
}

/** A report's position in the order of a project's reports: by the time at which the run ended, then by order of arrival. */
export interface ReportPosition {
  readonly executedAtMs: number
  readonly sequence: number
}

/** A report and its position. */
export interface PlacedReport {
  readonly report: ExecutionReport
  readonly position: ReportPosition
}

/** Stores completed runs. Only `Ledger.settle` adds reports, in its transaction. */
export class ResultStore extends Context.Tag("@sibyl/core/ResultStore")<
  ResultStore,
  {
    /** The newest report for these four values, in the order of {@link ReportPosition}. */
    readonly last: (projectId: string, key: LastResultKey, mode: LastResultMode) => Effect.Effect<Option.Option<ExecutionReport>>
    /** The report with this id, if it is the project's. */
    readonly find: (projectId: string, id: string) => Effect.Effect<Option.Option<ExecutionReport>>
    /** The newest reports of a project in the order of their settlement, whatever they ran; at most `amount`. */
    readonly newest: (projectId: string, amount: number) => Effect.Effect<ReadonlyArray<ExecutionReport>>
    readonly page: (query: ReportQuery) => Effect.Effect<ReadonlyArray<PlacedReport>>
  }
>() {}
