/** The eighteenth migration: withdrawals of granted credits. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { remadeJournal } from "./remadeJournal.ts"

const withoutHold = "'grant', 'withdraw'"
const kinds = `${withoutHold}, 'hold', 'extend', 'charge', 'release', 'post', 'void', 'expire'`

/** PostgreSQL gives a check of several columns the name of its table, and that of one column the column's name besides. */
const remadeChecks = (sql: SqlClient) => [
  sql`ALTER TABLE journal DROP CONSTRAINT journal_kind_check, DROP CONSTRAINT journal_check`,
  sql`ALTER TABLE journal
    ADD CONSTRAINT journal_kind_check CHECK (kind IN (${sql.literal(kinds)})),
    ADD CONSTRAINT journal_check CHECK ((kind IN (${sql.literal(withoutHold)})) = (hold_id IS NULL))`
]

/** Adds to the journal the kind of entry under which granted credits are taken back; like a grant, it concerns no hold. */
export const m0018Withdrawals: Effect.Effect<void, SqlError, SqlClient> = Effect.flatMap(SqlClient, (sql) =>
  Effect.forEach(
    sql.onDialectOrElse({ pg: () => remadeChecks(sql), orElse: () => remadeJournal(sql, { kinds, withoutHold }) }),
    (statement) => statement.unprepared,
    { discard: true }
  )
)
