/** The initial account of every project. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"

/** Inserts the account of a new project, in the transaction that creates the project. */
export const createAccount = (sql: SqlClient, projectId: string): Effect.Effect<void, SqlError> =>
  Effect.asVoid(sql`INSERT INTO accounts (project_id, granted, used, held, last_entry) VALUES (${projectId}, '0', '0', '0', 0)`)
