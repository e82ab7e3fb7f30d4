/** The auditor: every rule that a history breaks. It knows the specification and what was seen, and nothing of a service's code. */
import type { History } from "../history/history.ts"
import { type Evidence, evidenceOf } from "./evidence.ts"
import { judgeCalls } from "./judgeCalls.ts"
import { judgeCredits } from "./judgeCredits.ts"
import { judgeFeeds } from "./judgeFeeds.ts"
import { judgeIdempotency } from "./judgeIdempotency.ts"
import { judgeOutcomes } from "./judgeOutcomes.ts"
import { judgeRecords } from "./judgeRecords.ts"
import { judgeReports } from "./judgeReports.ts"
import { judgeRuns } from "./judgeRuns.ts"
import { judgeSockets } from "./judgeSockets.ts"
import { judgeStored } from "./judgeStored.ts"
import { judgeTickets } from "./judgeTickets.ts"
import type { TrafficViolation } from "./violation.ts"

const judges: ReadonlyArray<(evidence: Evidence) => ReadonlyArray<TrafficViolation>> = [
  judgeCalls,
  judgeOutcomes,
  judgeRecords,
  judgeRuns,
  judgeStored,
  judgeIdempotency,
  judgeCredits,
  judgeReports,
  judgeSockets,
  judgeTickets,
  judgeFeeds
]

/** Every violation, those of the first commands first. */
export const auditHistory = (history: History): ReadonlyArray<TrafficViolation> => {
  const evidence = evidenceOf(history)
  const found = judges.flatMap((judge) => judge(evidence))
  return found.toSorted((one, other) => (one.step ?? Number.POSITIVE_INFINITY) - (other.step ?? Number.POSITIVE_INFINITY))
}
