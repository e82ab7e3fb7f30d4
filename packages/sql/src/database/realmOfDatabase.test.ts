/** A PostgreSQL database has an identity that its copy has not. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { temporaryDatabase } from "../fixtures/temporaryDatabase.ts"
import { createDatabase, describePostgres } from "../fixtures/testDatabases.ts"
import { layerTestDatabase, layerTestStoresAt } from "../fixtures/testStores.ts"
import { realmOfDatabase } from "./realmOfDatabase.ts"

const realmAt = (place: string) => Effect.provide(Effect.flatMap(SqlClient, realmOfDatabase), layerTestDatabase(place))

describePostgres("the identity of a database", (server) => {
  it("is the same for each server, another one for a copy, and one that may stand in a subject of NATS", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const shared = yield* server
        const place = yield* createDatabase(shared)
        yield* Effect.provide(Effect.void, layerTestStoresAt(place))
        const copy = yield* createDatabase(shared, new URL(place).pathname.slice(1))
        const realms = yield* Effect.all([realmAt(place), realmAt(place), realmAt(copy)])
        expect(realms[0]).toMatch(/^[a-z0-9]+-\d+$/)
        expect(realms[1]).toBe(realms[0])
        expect(realms[2]).toMatch(/^[a-z0-9]+-\d+$/)
        expect(realms[2]).not.toBe(realms[0])
      })
    ))

  it("is none where the server does not tell it", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const place = yield* Effect.flatMap(server, (shared) => createDatabase(shared))
        // As on a service that has taken the function away.
        const takeAway = Effect.gen(function* () {
          const sql = yield* SqlClient
          yield* sql`CREATE FUNCTION public.pg_control_system() RETURNS TABLE (system_identifier bigint) LANGUAGE sql AS 'SELECT 1 / 0'`
          yield* sql`ALTER DATABASE ${sql(new URL(place).pathname.slice(1))} SET search_path = public, pg_catalog`
        })
        yield* Effect.provide(takeAway, layerTestDatabase(place))
        expect(yield* realmAt(place)).toBeUndefined()
      })
    ))
})

it("is none for SQLite", () =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        expect(yield* realmAt(yield* temporaryDatabase)).toBeUndefined()
      })
    )
  ))
