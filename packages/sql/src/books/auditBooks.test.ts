/** The books of a real database hold, and every fault that is put into its tables is found, on each kind of database. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Redacted } from "effect"
import { expect, it } from "vitest"
import { describeDatabases } from "../fixtures/testDatabases.ts"
import { askKeyed, openKeyedService, provisionKeyed } from "../fixtures/keyedService.ts"
import { layerTestStoresAt } from "../fixtures/testStores.ts"
import { importSigningKey } from "../signingKeys/storedKeys.ts"
import { settleCopy } from "../settleCopy.ts"
import { auditBooks, type BooksOptions } from "./auditBooks.ts"

const options: BooksOptions = { takenAtMs: Date.now(), retentionMs: null, reportsPerProject: 1_000_000 }

/** Changes that a database lets through, and what the audit says of them. */
const faults: ReadonlyArray<readonly [statement: string, found: RegExp]> = [
  ["UPDATE accounts SET used = '1'", /used: kept 1, journal/],
  ["UPDATE accounts SET held = '1'", /held: kept 1, journal/],
  ["UPDATE accounts SET last_entry = last_entry + 1", /the last entry is kept as/],
  ["UPDATE holds SET state = 'held' WHERE hold_id = (SELECT MAX(hold_id) FROM holds)", /hold .*: kept \d+, journal undefined/],
  [
    "UPDATE reports SET body = REPLACE(body, '\"exitCode\":0', '\"exitCode\":1') WHERE entry = (SELECT MAX(entry) FROM reports)",
    /signature is by no signing key/
  ],
  ["UPDATE reports SET body = 'x' WHERE entry = (SELECT MAX(entry) FROM reports)", /cannot be read/],
  ["DELETE FROM reports WHERE entry = (SELECT MAX(entry) FROM reports)", /has no report/],
  ["UPDATE reports SET id = 'another' WHERE entry = (SELECT MAX(entry) FROM reports)", /its row has another id/],
  ["UPDATE idempotency_keys SET status = NULL, body = NULL", /no answer is kept under its idempotency key/],
  ["UPDATE signing_key_times SET active_from_ms = 99999999999999", /outside of that key's time/],
  ["DELETE FROM signing_key_times", /by no signing key/],
  ["UPDATE programs SET bytes = (SELECT secret FROM signing_keys LIMIT 1)", /its bytes are others/],
  ["DELETE FROM accounts", /it has no account/]
]

/** The stores of a new database in which these requests were answered, in their order. */
const usedStores = (place: Parameters<typeof layerTestStoresAt>[0], requests: ReadonlyArray<Parameters<typeof askKeyed>[2]>) =>
  Effect.gen(function* () {
    const stores = layerTestStoresAt(place)
    yield* Effect.provide(importSigningKey(Redacted.make(new Uint8Array(32).fill(1))), stores)
    yield* Effect.promise(async () => {
      const owner = await provisionKeyed(place, 1_000_000n)
      const service = await openKeyedService(place)
      for (const request of requests) expect((await askKeyed(service, owner, request)).status).toBe(200)
      await service.dispose()
    })
    return stores
  })

describeDatabases("the audit of the books", ({ create }) => {
  it("passes a database that was used, and finds each fault", () =>
    Effect.gen(function* () {
      const place = yield* create
      const stores = yield* usedStores(place, [{ idempotencyKey: "one" }, { idempotencyKey: "two" }, { idempotencyKey: "two" }])
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* settleCopy
        const sound = { projects: 1, reports: 2, programs: 1, faults: [] }
        expect(yield* auditBooks({ ...options, takenAtMs: Date.now() })).toMatchObject(sound)
        for (const [statement, found] of faults) {
          // Rolled back, so that the next fault stands alone.
          const told = yield* Effect.flip(
            sql.withTransaction(
              Effect.zipRight(sql.unsafe(statement), Effect.flatMap(auditBooks({ ...options, takenAtMs: Date.now() }), Effect.fail))
            )
          )
          expect("faults" in told ? told.faults.join("\n") : String(told), statement).toMatch(found)
        }
        expect(yield* auditBooks({ ...options, takenAtMs: Date.now() })).toMatchObject(sound)
      }).pipe(Effect.provide(stores))
    }).pipe(Effect.scoped, Effect.runPromise))

  it("does not take for lost what retention has deleted", () =>
    Effect.gen(function* () {
      const place = yield* create
      const stores = yield* usedStores(place, [{}, {}, {}, {}])
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* settleCopy
        const audited = (takenAtMs: number) => Effect.map(auditBooks({ ...options, takenAtMs }), (audit) => audit.faults.join("\n"))
        const laterMs = Date.now() + 3_600_000
        // The oldest: any sweep takes it first.
        yield* sql`DELETE FROM reports WHERE entry = (SELECT MIN(entry) FROM reports)`
        expect(yield* audited(Date.now())).toMatch(/has no report/)
        expect(yield* audited(laterMs)).toBe("")
        yield* sql`UPDATE reports SET executed_at_ms = executed_at_ms - 3600000`
        yield* sql`DELETE FROM reports WHERE entry = (SELECT MAX(entry) FROM reports)`
        expect(yield* audited(laterMs)).toMatch(/although older ones that retention would have taken first are there/)
      }).pipe(Effect.provide(stores))
    }).pipe(Effect.scoped, Effect.runPromise))
})
