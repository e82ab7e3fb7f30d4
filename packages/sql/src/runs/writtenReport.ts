/** A report in the form that is stored: encoded before the transaction, so that only texts go to it. */
import type { ExecutionReport, PostedReport } from "@sibyl/core"
import type { Row, RowShape } from "../database/manyRows.ts"

/** A report as its row needs it, with what the decisions about credits look at. */
export interface WrittenReport {
  readonly id: string
  readonly projectId: string
  readonly cost: { readonly total: bigint }
  readonly execProgramId: string
  readonly drId: string
  readonly requestKey: string
  readonly exitCode: number
  readonly executedAtMs: number
  /** The whole report as JSON. */
  readonly body: string
  /** The total cost in `body`: more than `cost.total` if the run cost more than its hold. */
  readonly bodyTotal: bigint
}

/** How reports are inserted. */
export const reportRows: RowShape = {
  table: "reports",
  columns: ["project_id", "entry", "id", "dr_id", "request_key", "exit_code", "executed_at_ms", "body", "drawn_hold_id"]
}

interface StoredBody {
  readonly cost: Readonly<Record<string, string>>
}

/** The body with what was charged. */
const chargedBody = ({ body, bodyTotal, cost: { total } }: WrittenReport): string => {
  if (total === bodyTotal) return body
  const stored: StoredBody & Readonly<Record<keyof ExecutionReport, unknown>> = JSON.parse(body)
  return JSON.stringify({ ...stored, cost: { ...stored.cost, total: `${total}` } })
}

/** A report with the journal entry of its charge, which the ledger writes in the same transaction. */
export const reportRowOf = ({ drawnHoldId, entry, report }: PostedReport<WrittenReport>): Row => {
  const { drId, executedAtMs, exitCode, id, projectId, requestKey } = report
  return [projectId, entry, id, drId, requestKey, exitCode, executedAtMs, chargedBody(report), drawnHoldId]
}
