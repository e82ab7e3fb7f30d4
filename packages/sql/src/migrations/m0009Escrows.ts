/** The ninth migration: escrows, from which the runs of a server draw their holds. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { Effect } from "effect"

const kinds = "'grant', 'hold', 'extend', 'charge', 'release', 'post', 'void', 'expire'"

/** PostgreSQL gives the check of a column the name of its table and column. */
const allowKindsPostgres = (sql: SqlClient) => [
  sql`ALTER TABLE journal DROP CONSTRAINT journal_kind_check`,
  sql`ALTER TABLE journal ADD CONSTRAINT journal_kind_check CHECK (kind IN (${sql.literal(kinds)}))`
]

const credits = (sql: SqlClient, column: string): Fragment => {
  const name = sql.literal(column)
  return sql`${name} TEXT NOT NULL CHECK (${name} <> '' AND ${name} NOT LIKE '-%')`
}

/**
 * SQLite cannot change a check: the table is made anew. Its rows leave and come back under the same name, because reports refer to them:
 * SQLite counts the broken references, and at the end of the transaction there must be none.
 */
const allowKindsSqlite = (sql: SqlClient) => [
  sql`PRAGMA defer_foreign_keys = ON`,
  sql`CREATE TABLE journal_before AS SELECT project_id, entry, kind, credits, hold_id, at_ms FROM journal`,
  sql`DROP TABLE journal`,
  sql`CREATE TABLE journal (
    project_id TEXT NOT NULL REFERENCES projects,
    entry INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN (${sql.literal(kinds)})),
    ${credits(sql, "credits")},
    hold_id TEXT REFERENCES holds,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (project_id, entry),
    CHECK ((kind = 'grant') = (hold_id IS NULL))
  ) STRICT`,
  sql`INSERT INTO journal SELECT project_id, entry, kind, credits, hold_id, at_ms FROM journal_before`,
  sql`DROP TABLE journal_before`,
  sql`CREATE UNIQUE INDEX journal_taken_once ON journal (hold_id) WHERE kind = 'hold'`,
  sql`CREATE UNIQUE INDEX journal_resolved_once ON journal (hold_id) WHERE kind IN ('post', 'void', 'expire')`,
  ...["UPDATE", "DELETE"].map(
    (change) => sql`
      CREATE TRIGGER ${sql(`journal_no_${change.toLowerCase()}`)} BEFORE ${sql.literal(change)} ON journal
      BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END`
  )
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
      ...sql.onDialectOrElse({ pg: () => allowKindsPostgres(sql), orElse: () => allowKindsSqlite(sql) })
    ],
    (statement) => statement.unprepared,
    { discard: true }
  )
)
