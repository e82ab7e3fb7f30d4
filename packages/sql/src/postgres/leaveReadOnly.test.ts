/** A connection that accepts no changes is given up after the first refusal. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { transaction } from "../database/transaction.ts"
import { createDatabase, describePostgres } from "../fixtures/testDatabases.ts"
import { layerTestDatabase } from "../fixtures/testStores.ts"

describePostgres("a connection on which transactions are read-only", (server) => {
  it("is left when a change was refused, and a transaction is tried again on another", () =>
    Effect.gen(function* () {
      const place = yield* Effect.flatMap(server, (shared) => createDatabase(shared))
      const trial = Effect.gen(function* () {
        const sql = yield* SqlClient
        const change = sql`UPDATE service SET value = value WHERE name = ''`
        yield* sql`SET default_transaction_read_only = on`
        expect(yield* Effect.flip(change)).toMatchObject({ cause: { code: "25006" } })
        yield* change
        yield* sql`SET default_transaction_read_only = on`
        yield* transaction(sql, "changing", change)
        yield* change
      })
      yield* Effect.provide(trial, layerTestDatabase(place))
    }).pipe(Effect.runPromise))
})
