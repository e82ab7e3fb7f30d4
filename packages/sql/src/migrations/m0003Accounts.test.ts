/** The third migration keeps existing rows: organizations get a date, keys and projects have no name. */
import * as Reactivity from "@effect/experimental/Reactivity"
import { SqlClient } from "@effect/sql/SqlClient"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted } from "effect"
import { expect, it } from "vitest"
import { describeDatabases, type TestDatabase } from "../fixtures/testDatabases.ts"
import { openSqlite } from "../sqlite/sqliteClient.ts"
import { m0001Stores } from "./m0001Stores.ts"
import { m0003Accounts } from "./m0003Accounts.ts"

/** A client of an empty database. */
const bareClient = ({ kind }: TestDatabase, place: string) =>
  kind === "SQLite"
    ? Effect.map(openSqlite({ filename: place, busyTimeoutMs: 1_000 }), ({ client }) => client)
    : PgClient.make({ url: Redacted.make(place) })

const rowsOfBefore = (sql: SqlClient) => [
  sql`INSERT INTO organizations (organization_id, organization_slug) VALUES ('o1', 'acme'), ('o2', 'empty')`,
  sql`INSERT INTO projects (project_id, organization_id, settings, created_at_ms)
    VALUES ('p1', 'o1', '{}', 1748781296789), ('p2', 'o1', '{}', 1748781296788)`,
  sql`INSERT INTO api_keys (api_key_id, project_id, hash, created_at_ms, expires_at_ms)
    VALUES ('k1', 'p1', 'h', 5, 9)`
]

describeDatabases("the third schema", (database) => {
  it("adds to the first without losing a row", () => {
    const test = Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* m0001Stores
      yield* Effect.all(rowsOfBefore(sql))
      yield* m0003Accounts
      const organizations = yield* sql<Record<string, unknown>>`
        SELECT organization_slug, name, created_at_ms FROM organizations ORDER BY organization_id`
      // PostgreSQL returns counters as text.
      expect(organizations.map((row) => ({ ...row, created_at_ms: Number(row["created_at_ms"]) }))).toEqual([
        { organization_slug: "acme", name: null, created_at_ms: 1_748_781_296_788 },
        { organization_slug: "empty", name: null, created_at_ms: 0 }
      ])
      const [key] = yield* sql<Record<string, unknown>>`
        SELECT api_key_id, hash, name, expires_at_ms, last_used_at_ms FROM api_keys`
      expect({ ...key, expires_at_ms: Number(key?.["expires_at_ms"]) }).toEqual({
        api_key_id: "k1",
        hash: "h",
        name: null,
        expires_at_ms: 9,
        last_used_at_ms: null
      })
      expect(yield* sql`SELECT name FROM projects`).toEqual([{ name: null }, { name: null }])
    })
    const client = Effect.flatMap(database.create, (place) => bareClient(database, place))
    return Effect.runPromise(
      Effect.flatMap(client, (sql) => Effect.provideService(test, SqlClient, sql)).pipe(Effect.provide(Reactivity.layer), Effect.scoped)
    )
  })
})
