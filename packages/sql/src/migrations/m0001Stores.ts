/** The first schema: projects and keys, credits, reports, programs, the signing key. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { Effect } from "effect"
import { type ColumnTypes, columnTypes } from "./columnTypes.ts"

/** Credits are decimal text of any size: the database does no arithmetic, and accepts no float and no negative number. */
const credits = (sql: SqlClient, column: string): Fragment => {
  const name = sql.literal(column)
  return sql`${name} TEXT NOT NULL CHECK (${name} <> '' AND ${name} NOT LIKE '-%')`
}

const identityTables = (sql: SqlClient, { bytes, integer, strict }: ColumnTypes) => [
  sql`CREATE TABLE service (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) ${strict}`,
  sql`CREATE TABLE signing_keys (
    name TEXT PRIMARY KEY NOT NULL,
    secret ${bytes} NOT NULL,
    created_at_ms ${integer} NOT NULL
  ) ${strict}`,
  sql`CREATE TABLE programs (
    program_id TEXT PRIMARY KEY NOT NULL,
    bytes ${bytes} NOT NULL,
    stored_at_ms ${integer} NOT NULL
  ) ${strict}`
]

const directoryTables = (sql: SqlClient, { integer, strict }: ColumnTypes) => [
  sql`CREATE TABLE organizations (
    organization_id TEXT PRIMARY KEY NOT NULL,
    organization_slug TEXT NOT NULL UNIQUE
  ) ${strict}`,
  sql`CREATE TABLE projects (
    project_id TEXT PRIMARY KEY NOT NULL,
    organization_id TEXT NOT NULL REFERENCES organizations,
    settings TEXT NOT NULL,
    created_at_ms ${integer} NOT NULL
  ) ${strict}`,
  sql`CREATE TABLE api_keys (
    api_key_id TEXT PRIMARY KEY NOT NULL,
    project_id TEXT NOT NULL REFERENCES projects,
    hash TEXT NOT NULL,
    created_at_ms ${integer} NOT NULL,
    expires_at_ms ${integer},
    revoked_at_ms ${integer}
  ) ${strict}`
]

const ledgerTables = (sql: SqlClient, { integer, strict }: ColumnTypes) => [
  sql`CREATE TABLE accounts (
    project_id TEXT PRIMARY KEY NOT NULL REFERENCES projects,
    ${credits(sql, "granted")},
    ${credits(sql, "used")},
    ${credits(sql, "held")},
    last_entry ${integer} NOT NULL
  ) ${strict}`,
  sql`CREATE TABLE holds (
    hold_id TEXT PRIMARY KEY NOT NULL,
    project_id TEXT NOT NULL REFERENCES projects,
    ${credits(sql, "amount")},
    state TEXT NOT NULL CHECK (state IN ('held', 'posted', 'voided')),
    lease_end_ms ${integer} NOT NULL,
    period_ms ${integer},
    period_start_ms ${integer}
  ) ${strict}`,
  sql`CREATE INDEX holds_open ON holds (project_id, lease_end_ms) WHERE state = 'held'`,
  sql`CREATE TABLE usage_periods (
    project_id TEXT NOT NULL REFERENCES projects,
    period_ms ${integer} NOT NULL,
    period_start_ms ${integer} NOT NULL,
    ${credits(sql, "credits")},
    PRIMARY KEY (project_id, period_ms, period_start_ms)
  ) ${strict}`,
  sql`CREATE TABLE journal (
    project_id TEXT NOT NULL REFERENCES projects,
    entry ${integer} NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('grant', 'hold', 'post', 'void', 'expire')),
    ${credits(sql, "credits")},
    hold_id TEXT REFERENCES holds,
    at_ms ${integer} NOT NULL,
    PRIMARY KEY (project_id, entry),
    CHECK ((kind = 'grant') = (hold_id IS NULL))
  ) ${strict}`,
  sql`CREATE UNIQUE INDEX journal_taken_once ON journal (hold_id) WHERE kind = 'hold'`,
  sql`CREATE UNIQUE INDEX journal_resolved_once ON journal (hold_id) WHERE kind IN ('post', 'void', 'expire')`
]

const resultTables = (sql: SqlClient, { integer, strict }: ColumnTypes) => [
  sql`CREATE TABLE reports (
    project_id TEXT NOT NULL,
    entry ${integer} NOT NULL,
    dr_id TEXT NOT NULL,
    request_key TEXT NOT NULL,
    exit_code ${integer} NOT NULL,
    executed_at_ms ${integer} NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (project_id, entry),
    FOREIGN KEY (project_id, entry) REFERENCES journal (project_id, entry)
  ) ${strict}`,
  sql`CREATE INDEX reports_page ON reports (project_id, dr_id, executed_at_ms, entry)`,
  sql`CREATE INDEX reports_last ON reports (project_id, request_key, executed_at_ms, entry)`,
  sql`CREATE INDEX reports_success ON reports (project_id, request_key, executed_at_ms, entry) WHERE exit_code = 0`,
  sql`CREATE TABLE timestamps (
    project_id TEXT NOT NULL REFERENCES projects,
    dr_id TEXT NOT NULL,
    timestamp_ms ${integer} NOT NULL,
    PRIMARY KEY (project_id, dr_id)
  ) ${strict}`
]

const appendOnly = "the journal is append-only"

const appendOnlyJournal = (sql: SqlClient) =>
  sql.onDialectOrElse({
    pg: () => [
      sql`CREATE FUNCTION refuse_journal_change() RETURNS trigger LANGUAGE plpgsql AS ${sql.literal(
        `$$ BEGIN RAISE EXCEPTION '${appendOnly}'; END $$`
      )}`,
      sql`CREATE TRIGGER journal_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON journal
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_journal_change()`
    ],
    orElse: () =>
      ["UPDATE", "DELETE"].map(
        (change) => sql`
          CREATE TRIGGER ${sql(`journal_no_${change.toLowerCase()}`)} BEFORE ${sql.literal(change)} ON journal
          BEGIN SELECT RAISE(ABORT, ${sql.literal(`'${appendOnly}'`)}); END`
      )
  })

/** Creates every table of the first version. */
export const m0001Stores: Effect.Effect<void, SqlError, SqlClient> = Effect.flatMap(SqlClient, (sql) => {
  const types = columnTypes(sql)
  return Effect.forEach(
    [
      ...identityTables(sql, types),
      ...directoryTables(sql, types),
      ...ledgerTables(sql, types),
      ...resultTables(sql, types),
      ...appendOnlyJournal(sql)
    ],
    (statement) => statement.unprepared,
    { discard: true }
  )
})
