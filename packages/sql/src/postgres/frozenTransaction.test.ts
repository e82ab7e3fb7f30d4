/** A server that falls silent within a transaction loses its locks, so that others need not wait until it wakes up. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { expect, it } from "vitest"
import { createDatabase, describePostgres } from "../fixtures/testDatabases.ts"
import { layerTestDatabase } from "../fixtures/testStores.ts"

/** Ten times what a silent transaction is given. */
const patienceMs = 20_000

describePostgres("a silent transaction", (server) => {
  it("ends, and whoever waits for its locks goes on", { timeout: 2 * patienceMs }, () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const place = yield* Effect.flatMap(server, (postgres) => createDatabase(postgres))
        const onDatabase = <A, E>(work: (sql: SqlClient) => Effect.Effect<A, E>) =>
          Effect.provide(Effect.flatMap(SqlClient, work), layerTestDatabase(place))
        yield* onDatabase((sql) => sql`CREATE TABLE counted (id INTEGER PRIMARY KEY, n INTEGER)`)
        yield* onDatabase((sql) => sql`INSERT INTO counted VALUES (1, 0)`)
        const locked = yield* Deferred.make<void>()
        const silent = yield* Effect.fork(
          onDatabase((sql) =>
            sql.withTransaction(
              sql`UPDATE counted SET n = 100`.pipe(
                Effect.zipRight(Deferred.succeed(locked, undefined)),
                Effect.zipRight(Effect.sleep(patienceMs))
              )
            )
          )
        )
        yield* Deferred.await(locked)
        const waited = yield* Effect.exit(
          Effect.timeout(
            onDatabase((sql) => sql`UPDATE counted SET n = n + 1`),
            patienceMs / 2
          )
        )
        expect(Exit.isSuccess(waited)).toBe(true)
        expect(yield* onDatabase((sql) => sql<{ readonly n: number }>`SELECT n FROM counted`)).toEqual([{ n: 1 }])
        yield* Fiber.interrupt(silent)
      }).pipe(Effect.scoped)
    )
  )
})
