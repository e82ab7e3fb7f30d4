/** What is seen of a database before anything is made in it. */
import * as Reactivity from "@effect/experimental/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted } from "effect"
import { expect, it } from "vitest"
import { createDatabase, describeDatabases, describePostgres } from "./fixtures/testDatabases.ts"
import { inspectDatabase, layerPostgresAsItIs, layerSqliteAsItIs } from "./inspectDatabase.ts"

const at = (place: string) =>
  place.startsWith("postgres") ? layerPostgresAsItIs({ url: Redacted.make(place) }) : layerSqliteAsItIs({ filename: place })

describeDatabases("an empty database", ({ create }) => {
  it("has no schema yet, and its owner may make one", () =>
    Effect.gen(function* () {
      const state = yield* Effect.provide(inspectDatabase, at(yield* create))
      expect(state).toMatchObject({ schemaVersion: 0, network: null, hasSigningKey: false, mayMakeTables: true })
    }).pipe(Effect.scoped, Effect.runPromise))
})

describePostgres("a user without rights", (server) => {
  it("may not make tables in the schema of another", () =>
    Effect.gen(function* () {
      const place = yield* Effect.flatMap(server, createDatabase)
      const user = "onlooker"
      const owner = yield* Effect.provide(PgClient.make({ url: Redacted.make(place) }), Reactivity.layer)
      yield* owner.unsafe(`CREATE ROLE ${user} LOGIN PASSWORD 'p4ssphrase'`)
      const theirs = new URL(place)
      theirs.username = user
      theirs.password = "p4ssphrase"
      expect(yield* Effect.provide(inspectDatabase, at(theirs.href))).toMatchObject({ schemaVersion: 0, mayMakeTables: false })
    }).pipe(Effect.scoped, Effect.runPromise))
})
