/** The ninth migration: escrows, from which the runs of a server draw their holds. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { remadeJournal } from "./remadeJournal.ts"

const kinds = "'grant', 'hold', 'extend', 'charge', 'release', 'post', 'void', 'expire'"

/** PostgreSQL gives the check of a column the name of its table and column. */
const allowKindsPostgres = (sql: SqlClient) => [
  sql`ALTER TABLE journal DROP CONSTRAINT journal_kind_check`,
  sql`ALTER TABLE journal ADD CONSTRAINT journal_kind_check CHECK (kind IN (${sql.literal(kinds)}))`
]

/**
 * Adds to holds what an escrow is (`escrow`, null for the hold of one run, and `drawn`), to reports the drawn hold that paid for the run,
 * and to the journal the kinds of entries under which an escrow stays open.
 */
export const m0009Escrows: Effect.Effect<void, SqlError, SqlClient> = Effect.flatMap(SqlClient, (sql) =>
  Effect.forEach(
    [
      sql`ALTER TABLE holds ADD COLUMN escrow TEXT CHECK (escrow IN ('open', 'recalled', 'drained'))`,
      sql`ALTER TABLE holds ADD COLUMN drawn TEXT CHECK (drawn <> '' AND drawn NOT LIKE '-%')`,
      sql`CREATE INDEX holds_escrow ON holds (project_id) WHERE state = 'held' AND escrow IS NOT NULL`,
      sql`CREATE INDEX holds_recalled ON holds (hold_id) WHERE state = 'held' AND escrow = 'recalled'`,
      sql`ALTER TABLE reports ADD COLUMN drawn_hold_id TEXT`,
      ...sql.onDialectOrElse({ pg: () => allowKindsPostgres(sql), orElse: () => remadeJournal(sql, { kinds, withoutHold: "'grant'" }) })
    ],
    (statement) => statement.unprepared,
    { discard: true }
  )
)
