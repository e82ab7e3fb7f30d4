/** The transaction of the ledger: reads what operations need to know, decides, and writes the changes. */
import { applyOperations, type LedgerOutcome, queryOf, type TimedOperation } from "@sibyl/core"
import type { Plan } from "../database/plan.ts"
import type { Procedure } from "../database/procedure.ts"
import type { Dialect } from "../database/query.ts"
import type { WrittenReport } from "../runs/writtenReport.ts"
import { lockAccounts } from "./lockAccounts.ts"
import { readSnapshots } from "./readSnapshots.ts"
import { writeChanges } from "./writeChanges.ts"

/** Operations in the form that a transaction needs. */
export interface LedgerInput {
  readonly operations: ReadonlyArray<WrittenOperation>
  /** Whether a hold that is about to be taken may exist already, because an earlier try was committed. */
  readonly mayBeTaken: boolean
  /**
   * More operations on the same projects, asked for once their accounts are locked. Who waits for a lock that another server has takes along
   * what arrives meanwhile.
   */
  readonly joining?: () => ReadonlyArray<WrittenOperation>
}

/** An operation with its report in the form that is stored. */
export type WrittenOperation = TimedOperation<WrittenReport>

function* perform(dialect: Dialect, { joining, mayBeTaken, operations }: LedgerInput): Plan<ReadonlyArray<LedgerOutcome>> {
  const accounts = yield* lockAccounts(dialect, [...new Set(operations.map(({ operation }) => operation.projectId))])
  const all = joining === undefined ? operations : [...operations, ...joining()]
  const snapshots = yield* readSnapshots(accounts, queryOf(all, mayBeTaken))
  const { changes, outcomes } = applyOperations(snapshots, all)
  yield* writeChanges(dialect, changes)
  return outcomes
}

/** Applies operations, those of a project in order. */
export const ledgerProcedure: Procedure<LedgerInput, ReadonlyArray<LedgerOutcome>> = { name: "ledger", plan: perform }
