/** The accounts of projects, locked until a transaction ends. */
import { ask, type Plan } from "../database/plan.ts"
import { among, type Dialect, locking, query } from "../database/query.ts"

/** An account as it is stored. */
export interface AccountRow {
  readonly project_id: string
  readonly granted: string
  readonly used: string
  readonly held: string
  readonly last_entry: number | string
}

/** The accounts of the projects that exist; at least one has to be given. They are locked in the order of their ids, to prevent deadlocks. */
export const lockAccounts = (dialect: Dialect, projectIds: ReadonlyArray<string>): Plan<ReadonlyArray<AccountRow>> =>
  ask<AccountRow>(query`
    SELECT project_id, granted, used, held, last_entry FROM accounts
    WHERE ${among("project_id", projectIds)} ORDER BY project_id ${locking(dialect)}`)
