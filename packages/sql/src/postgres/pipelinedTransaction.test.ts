/** A transaction whose statements are sent ahead does what one does whose statements wait for one another, also where it fails. */
import { SqlClient } from "@effect/sql/SqlClient"
import { soakCount } from "@sibyl/testing/soak"
import { Cause, Deferred, Effect, Exit, Fiber, Runtime } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import { ask, askAll, type Plan, type Step } from "../database/plan.ts"
import { runProcedure } from "../database/procedure.ts"
import { query } from "../database/query.ts"
import { createDatabase, describePostgres } from "../fixtures/testDatabases.ts"
import { layerTestDatabase } from "../fixtures/testStores.ts"

interface Counted {
  readonly id: number
  readonly n: number
}

const add = (id: number, n: number) => query`INSERT INTO counted (id, n) VALUES (${id}, ${n})`
const increase = (id: number) => query`UPDATE counted SET n = n + 1 WHERE id = ${id}`
const remove = (id: number) => query`DELETE FROM counted WHERE id = ${id} RETURNING n`
const one = (id: number) => query`SELECT id, n FROM counted WHERE id = ${id}`
const all = query`SELECT id, n FROM counted ORDER BY id`

/** In a transaction of its own, which is in a pipeline. */
const inPipeline = <A>(plan: () => Plan<A>, repeatable = false) =>
  Effect.flatMap(SqlClient, (sql) => runProcedure(sql, { name: "of a test", plan }, () => {}, repeatable))

/** In one of the caller, which is not. */
const oneByOne = <A>(plan: () => Plan<A>) => Effect.flatMap(SqlClient, (sql) => sql.withTransaction(inPipeline(plan)))

const stored = Effect.flatMap(SqlClient, (sql) => sql<Counted>`SELECT id, n FROM counted ORDER BY id`)
const empty = Effect.flatMap(SqlClient, (sql) => sql`DELETE FROM counted`)

function* fill(): Plan<void> {
  yield [add(1, 10), add(2, 20)]
}

/** How the plan ends, and what it leaves. */
const outcomeOf = (inTransaction: typeof oneByOne, plan: () => Plan<ReadonlyArray<unknown>>) =>
  Effect.gen(function* () {
    yield* empty
    yield* inPipeline(fill)
    const exit = yield* Effect.exit(inTransaction(plan))
    return { found: Exit.isSuccess(exit) ? exit.value : "failed", left: yield* stored }
  })

const ids = fc.integer({ min: 1, max: 5 })
const change = fc.oneof(
  fc.record({ id: ids, n: fc.constantFrom(1, 2, 1_000) }).map(({ id, n }) => ({ id, statement: add(id, n) })),
  ids.map((id) => ({ id, statement: increase(id) })),
  ids.map((id) => ({ id, statement: remove(id) }))
)
const steps: fc.Arbitrary<Step> = fc.oneof(
  change.map(({ statement }) => statement),
  // Several at once change different rows.
  fc.uniqueArray(change, { selector: ({ id }) => id, maxLength: 3 }).map((changes) => changes.map(({ statement }) => statement)),
  fc.array(fc.oneof(fc.constant(all), ids.map(one)), { maxLength: 3 }).map((reads) => ({ reads }))
)

describePostgres("a transaction in a pipeline", (server) => {
  /** With a table of numbers below 1,000. */
  const onDatabase = (work: Effect.Effect<void, unknown, SqlClient>): Promise<void> =>
    Effect.gen(function* () {
      const place = yield* Effect.flatMap(server, (postgres) => createDatabase(postgres))
      const table = Effect.flatMap(
        SqlClient,
        (sql) => sql`CREATE TABLE counted (id INTEGER PRIMARY KEY, n INTEGER NOT NULL CHECK (n < 1000))`
      )
      yield* Effect.provide(Effect.zipRight(table, work), layerTestDatabase(place))
    }).pipe(Effect.runPromise)

  it("gives each read what was written before it, and commits what is written last", () =>
    onDatabase(
      Effect.gen(function* () {
        const seen = yield* inPipeline(function* () {
          yield* fill()
          const found = yield* askAll<[ReadonlyArray<Counted>, ReadonlyArray<Counted>, ReadonlyArray<Counted>]>(all, undefined, one(1))
          yield [increase(1)]
          const after = yield* ask<Counted>(all)
          yield increase(2)
          return { found, after }
        })
        const [first, second] = [
          { id: 1, n: 10 },
          { id: 2, n: 20 }
        ]
        expect(seen).toEqual({ found: [[first, second], [], [first]], after: [{ id: 1, n: 11 }, second] })
        expect(yield* stored).toEqual([
          { id: 1, n: 11 },
          { id: 2, n: 21 }
        ])
      })
    ))

  it("has the rows and the end of one whose statements wait, whatever the steps are and whichever fails", () =>
    onDatabase(
      Effect.gen(function* () {
        const run = Runtime.runPromise(yield* Effect.runtime<SqlClient>())
        const equal = fc.asyncProperty(fc.array(steps, { maxLength: 6 }), fc.nat({ max: 9 }), async (taken, throwsAt) => {
          const plan = function* (): Plan<ReadonlyArray<unknown>> {
            const found: Array<unknown> = []
            for (const [at, step] of taken.entries()) {
              if (at === throwsAt) throw new Error("the plan itself fails")
              const rows = yield step
              // Those of several changes are nobody's.
              if (!Array.isArray(step)) found.push(rows)
            }
            return found
          }
          expect(await run(outcomeOf(inPipeline, plan))).toEqual(await run(outcomeOf(oneByOne, plan)))
        })
        yield* Effect.promise(() => fc.assert(equal, { numRuns: soakCount({ everyday: 60, full: 2_000 }) }))
      })
    ))

  it("fails with what the first statement that was refused says, and leaves nothing", () =>
    onDatabase(
      Effect.gen(function* () {
        const exit = yield* Effect.exit(
          inPipeline(function* () {
            yield* fill()
            yield [add(3, 1_000), add(4, 1)]
            yield [add(1, 1)]
          })
        )
        const failures = Exit.isFailure(exit) ? [...Cause.failures(exit.cause)] : []
        expect(failures.map(({ cause }) => (cause instanceof Error ? cause.message : cause))).toEqual([
          expect.stringContaining("counted_n_check")
        ])
        expect(yield* stored).toEqual([])
        // The connection is as good as before.
        yield* Effect.repeatN(
          inPipeline(function* () {
            yield [increase(1)]
          }),
          20
        )
      })
    ))

  it("is rolled back when its caller leaves while it waits for a lock", () =>
    onDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* inPipeline(fill)
        const locked = yield* Deferred.make<void>()
        const free = yield* Deferred.make<void>()
        const lock = Effect.zipRight(sql`SELECT n FROM counted WHERE id = 1 FOR UPDATE`, Deferred.succeed(locked, undefined))
        const holder = yield* Effect.fork(sql.withTransaction(Effect.zipRight(lock, Deferred.await(free))))
        yield* Deferred.await(locked)
        const waiting = yield* Effect.fork(
          inPipeline(function* () {
            yield add(3, 30)
            yield increase(1)
          })
        )
        const blocked = sql`SELECT 1 AS found FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
        yield* Effect.repeat(blocked, { until: (rows) => rows.length > 0 })
        const leaving = yield* Effect.fork(Fiber.interrupt(waiting))
        yield* Deferred.succeed(free, undefined)
        expect(Exit.isInterrupted(yield* Fiber.join(leaving))).toBe(true)
        yield* Fiber.join(holder)
        expect(yield* stored).toEqual([
          { id: 1, n: 10 },
          { id: 2, n: 20 }
        ])
      })
    ))

  it("is tried again when the database ends it in favour of another one", () =>
    onDatabase(
      Effect.gen(function* () {
        yield* inPipeline(fill)
        // In opposite orders, so that each waits for the other: one is ended.
        const inOrder = (first: number, second: number) =>
          inPipeline(function* () {
            yield increase(first)
            yield* ask(query`SELECT pg_sleep(0.05)`)
            yield increase(second)
          })
        yield* Effect.all([inOrder(1, 2), inOrder(2, 1)], { concurrency: "unbounded" })
        expect(yield* stored).toEqual([
          { id: 1, n: 12 },
          { id: 2, n: 22 }
        ])
      })
    ))

  it("whose connection is lost is tried again, unless its commit may have happened and it must not happen twice", () =>
    onDatabase(
      Effect.gen(function* () {
        yield* inPipeline(fill)
        let tries = 0
        const lost = (at: "before the commit" | "with the commit") =>
          function* (): Plan<void> {
            tries += 1
            const isFirst = tries === 1
            if (isFirst && at === "before the commit") yield query`SELECT pg_terminate_backend(pg_backend_pid())`
            yield increase(1)
            if (isFirst && at === "with the commit") yield [query`SELECT pg_terminate_backend(pg_backend_pid())`]
          }
        yield* inPipeline(lost("before the commit"))
        expect([tries, yield* stored]).toEqual([
          2,
          [
            { id: 1, n: 11 },
            { id: 2, n: 20 }
          ]
        ])
        tries = 0
        const exit = yield* Effect.exit(inPipeline(lost("with the commit")))
        expect([Exit.isFailure(exit), tries]).toEqual([true, 1])
        tries = 0
        yield* inPipeline(lost("with the commit"), true)
        expect([tries, yield* stored]).toEqual([
          2,
          [
            { id: 1, n: 12 },
            { id: 2, n: 20 }
          ]
        ])
      })
    ))
})
