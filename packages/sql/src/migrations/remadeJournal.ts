/** The journal of a SQLite file, with other kinds of entries: SQLite cannot change the check of a table. */
import type { SqlClient } from "@effect/sql/SqlClient"

/** The kinds of entries, as SQL writes a list of texts: all, and those that concern no hold. */
export interface KindsOfEntries {
  readonly kinds: string
  readonly withoutHold: string
}

/**
 * Makes the table anew. Its rows leave and come back under the same name, because reports refer to them: SQLite counts the broken references,
 * and at the end of the transaction there must be none.
 */
export const remadeJournal = (sql: SqlClient, { kinds, withoutHold }: KindsOfEntries) => [
  sql`PRAGMA defer_foreign_keys = ON`,
  sql`CREATE TABLE journal_before AS SELECT project_id, entry, kind, credits, hold_id, at_ms FROM journal`,
  sql`DROP TABLE journal`,
  sql`CREATE TABLE journal (
    project_id TEXT NOT NULL REFERENCES projects,
    entry INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN (${sql.literal(kinds)})),
    credits TEXT NOT NULL CHECK (credits <> '' AND credits NOT LIKE '-%'),
    hold_id TEXT REFERENCES holds,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (project_id, entry),
    CHECK ((kind IN (${sql.literal(withoutHold)})) = (hold_id IS NULL))
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
