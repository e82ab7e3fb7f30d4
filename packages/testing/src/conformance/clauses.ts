/** Every clause of the interface and of the decisions, with its evidence: the checklist behind docs/CONFORMANCE.md. */
import type { ClauseSection } from "./clause.ts"
import { eventClauses, rpcErrorClauses, stateClauses, webSocketClauses } from "./clausesConnections.ts"
import { creditDecisions, feedDecisions } from "./clausesDecisions.ts"
import { authenticationClauses, endpointClauses, executeClauses, httpErrorClauses, limitClauses } from "./clausesEndpoints.ts"
import { executionDecisions } from "./clausesExecution.ts"
import { exampleProgramClauses, executeResponseClauses, failedExecutionClauses, recordClauses, serviceClauses } from "./clausesRecords.ts"
import { wireDecisions } from "./clausesWire.ts"

/** In the order of the interface, then the decisions. */
export const conformanceClauses: ReadonlyArray<ClauseSection> = [
  serviceClauses,
  executeResponseClauses,
  failedExecutionClauses,
  recordClauses,
  exampleProgramClauses,
  stateClauses,
  executeClauses,
  endpointClauses,
  webSocketClauses,
  authenticationClauses,
  eventClauses,
  httpErrorClauses,
  rpcErrorClauses,
  limitClauses,
  wireDecisions,
  executionDecisions,
  creditDecisions,
  feedDecisions
]
