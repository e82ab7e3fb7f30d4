/** The escrows that another server needs credits of. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"

/** The ids of the recalled escrows of all servers; there are few at any time. */
export const recalledEscrows = (sql: SqlClient): Effect.Effect<ReadonlyArray<string>, SqlError> =>
  Effect.map(sql<{ readonly hold_id: string }>`SELECT hold_id FROM holds WHERE state = 'held' AND escrow = 'recalled'`, (rows) =>
    rows.map((row) => row.hold_id)
  )
