/** The eighth migration: a version of what is configured, on SQLite. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"

/** The tables of what is configured. The last use of a key is no change. */
const watched: Readonly<Record<string, string>> = {
  organizations: "UPDATE",
  projects: "UPDATE",
  api_keys: "UPDATE OF project_id, hash, created_at_ms, expires_at_ms, revoked_at_ms, name",
  programs: "UPDATE",
  program_names: "UPDATE",
  data_proxies: "UPDATE"
}

/** Random, so that the version of a transaction that was rolled back never comes back. */
const newVersion = "lower(hex(randomblob(16)))"

/**
 * Creates a table with one row, which triggers change with every change of what is configured, whichever process makes it. Nothing on
 * PostgreSQL: reading it there would take a query, as does reading what it stands for.
 */
export const m0008SettingsVersion: Effect.Effect<void, SqlError, SqlClient> = Effect.flatMap(SqlClient, (sql) => {
  const run = (statement: string) => sql.unsafe(statement).unprepared
  const triggers = Object.entries(watched).flatMap(([table, update]) =>
    ["INSERT", update, "DELETE"].map(
      (change) => `CREATE TRIGGER ${table}_${change.split(" ")[0]?.toLowerCase()}_settings AFTER ${change} ON ${table}
        BEGIN UPDATE settings_version SET version = ${newVersion}; END`
    )
  )
  return sql.onDialectOrElse({
    pg: () => Effect.void,
    orElse: () =>
      Effect.forEach(
        [
          "CREATE TABLE settings_version (version TEXT NOT NULL) STRICT",
          `INSERT INTO settings_version VALUES (${newVersion})`,
          ...triggers
        ],
        run,
        { discard: true }
      )
  })
})
