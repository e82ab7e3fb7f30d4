/** Keeps the answers of runs under idempotency keys, in the transaction that charges the runs. */
import type { PostedReport } from "@sibyl/core"
import type { Plan } from "../database/plan.ts"
import { query } from "../database/query.ts"
import type { WrittenReport } from "./writtenReport.ts"

/** Keeps each answer under the key that is claimed for its run, by whichever attempt, unless one is kept already. */
export function* keepAnswers(reports: ReadonlyArray<PostedReport<WrittenReport>>): Plan<void> {
  yield reports.flatMap(({ answer, report }) =>
    answer === undefined
      ? []
      : query`
      UPDATE idempotency_keys SET status = ${answer.status}, body = ${answer.body}, expires_at_ms = ${answer.expiresAtMs}
      WHERE project_id = ${report.projectId} AND idempotency_key = ${answer.key} AND run_id = ${report.id} AND status IS NULL`
  )
}
