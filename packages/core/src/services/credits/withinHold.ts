/** A run whose price is above what was held for it. */
import { Effect } from "effect"
import type { Hold } from "../../domain/credits/balance.ts"
import { chargedReport, postedOf } from "../../domain/credits/credits.ts"
import type { ExecutionReport } from "../../domain/reports/executionReport.ts"
import type { CompletedRun } from "../phases/phaseRun.ts"

/** What is posted of a price above the hold is the hold: the answer says what was charged, as the stored report does. */
export const withinHold = ({ amount }: Hold, run: CompletedRun): CompletedRun => {
  const posted = (report: ExecutionReport): ExecutionReport => chargedReport(report, postedOf(amount, report.cost.total))
  const report = posted(run.report)
  if (report === run.report) return run
  return {
    ...run,
    report,
    signedAgain: (timestampMs) => Effect.map(run.signedAgain(timestampMs), posted),
    signedAgainNow: (timestampMs) => {
      const again = run.signedAgainNow(timestampMs)
      return again === undefined ? undefined : posted(again)
    }
  }
}

/** A price list of an embedder whose worst case is none, or a machine that asked data proxies beyond the budget. */
export const logAboveHold = ({ amount }: Hold, { cost, id }: ExecutionReport): Effect.Effect<void> =>
  Effect.annotateLogs(
    Effect.logWarning(`a run costs ${cost.total} credits, and no more than the ${amount} that were held for it is charged`),
    { part: "credits", run_id: id }
  )
