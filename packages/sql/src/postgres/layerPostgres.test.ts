/** What only a shared server can show: concurrent clients, lost connections, errors without secrets. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Ledger, type Project, Provisioning } from "@sibyl/core"
import { sampleReport } from "@sibyl/testing"
import { Cause, Context, Deferred, Effect, Either, Exit, Layer, Redacted } from "effect"
import { inspect } from "node:util"
import { expect, it, vi } from "vitest"
import { auditLedger } from "../fixtures/auditLedger.ts"
import { layerTestDatabase, layerTestStoresAt } from "../fixtures/testStores.ts"
import { createDatabase, describePostgres } from "../fixtures/testDatabases.ts"
import { transaction } from "../database/transaction.ts"
import { layerPostgres } from "./layerPostgres.ts"

const leaseMs = 60_000
const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> => Effect.runPromise(effect)

const fundedProject = (credits: bigint) =>
  Effect.gen(function* () {
    const provisioning = yield* Provisioning
    const project = yield* provisioning.createProject({ organizationSlug: "two" })
    yield* provisioning.grant(project.projectId, credits)
    return project
  })

const defectsOf = <A, E>(exit: Exit.Exit<A, E>): ReadonlyArray<unknown> => (Exit.isFailure(exit) ? [...Cause.defects(exit.cause)] : [])

/** Takes holds of 10, of which every third is voided and the others are settled for 7; returns how many were refused. */
const traffic = (project: Project, client: string, runs: number) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const one = (at: number) =>
      Effect.gen(function* () {
        const hold = yield* Effect.either(ledger.hold(project, 10n, leaseMs))
        if (Either.isLeft(hold)) return 1
        const { projectId } = project
        const report = sampleReport({ projectId, id: `${client}-${at}`, executedAtMs: at, total: 7n })
        yield* at % 3 === 0 ? ledger.void(hold.right) : ledger.settle(hold.right, report)
        return 0
      })
    const refusals = yield* Effect.forEach(
      Array.from({ length: runs }, (_, at) => at),
      one,
      { concurrency: 16 }
    )
    return refusals.filter((refused) => refused === 1).length
  })

describePostgres("two servers on one database", (server) => {
  it("can start at once on an empty one, and create its tables once", () =>
    run(
      Effect.gen(function* () {
        const place = yield* Effect.flatMap(server, (shared) => createDatabase(shared))
        const migrations = Effect.flatMap(SqlClient, (sql) => sql`SELECT migration_id FROM migrations ORDER BY 1`)
        const starts = yield* Effect.all(
          Array.from({ length: 4 }, () => Effect.provide(migrations, layerTestStoresAt(place))),
          { concurrency: "unbounded" }
        )
        expect(starts[0]?.length).toBeGreaterThan(2)
        for (const start of starts) expect(start).toEqual(starts[0])
      })
    ))

  it("never overdraw an account together, and leave a consistent ledger", () =>
    run(
      Effect.gen(function* () {
        const place = yield* Effect.flatMap(server, (shared) => createDatabase(shared))
        const [one, two] = [yield* Layer.build(layerTestStoresAt(place)), yield* Layer.build(layerTestStoresAt(place))]
        const tight = yield* Effect.provide(fundedProject(10n), one)
        const holds = Effect.flatMap(Ledger, (ledger) =>
          Effect.all(
            Array.from({ length: 60 }, () => Effect.either(ledger.hold(tight, 10n, leaseMs))),
            { concurrency: "unbounded" }
          )
        )
        const tries = yield* Effect.all([Effect.provide(holds, one), Effect.provide(holds, two)], { concurrency: 2 })
        expect(tries.flat().filter(Either.isRight)).toHaveLength(1)

        const left = yield* Effect.provide(fundedProject(150n), one)
        const right = yield* Effect.provide(fundedProject(99_999n), two)
        const sides = [one, two].flatMap((client, at) =>
          [left, right].map((project) => Effect.provide(traffic(project, `c${at}`, 60), client))
        )
        yield* Effect.all(sides, { concurrency: "unbounded" })
        const books = yield* Effect.provide(auditLedger, one)
        expect(books).toHaveLength(3)
        for (const { charges, entries, fromJournal, kept, projectId, reports, undrawn } of books) {
          expect(kept).toEqual(fromJournal)
          expect(kept.used + kept.held <= kept.granted).toBe(true)
          expect(reports).toEqual(charges)
          expect(entries).toEqual(entries.map((_, at) => at + 1))
          if (projectId !== tight.projectId) expect(kept.held - undrawn).toBe(0n)
        }
        const rich = books.find(({ projectId }) => projectId === right.projectId)
        expect(rich?.kept.used).toBe(2n * 40n * 7n)
      }).pipe(Effect.scoped)
    ))
})

describePostgres("a transaction", (server) => {
  const twoAccounts = Effect.gen(function* () {
    const place = yield* Effect.flatMap(server, (shared) => createDatabase(shared))
    const client = yield* Layer.build(layerTestDatabase(place))
    const sql = Context.get(client, SqlClient)
    yield* sql`CREATE TABLE marks (name TEXT PRIMARY KEY, value BIGINT NOT NULL)`
    yield* sql`INSERT INTO marks VALUES ('a', 0), ('b', 0)`
    return sql
  })

  it("that met another in a deadlock is repeated", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* twoAccounts
        const add = (name: string) => sql`UPDATE marks SET value = value + 1 WHERE name = ${name}`
        let begun = 0
        let holding = 0
        const bothHold = yield* Deferred.make<void>()
        const crossing = (first: string, second: string) =>
          transaction(
            sql,
            "crossing",
            Effect.gen(function* () {
              begun += 1
              yield* add(first)
              // Both lock their first row before either asks for its second.
              holding += 1
              if (holding === 2) yield* Deferred.succeed(bothHold, undefined)
              yield* Deferred.await(bothHold)
              yield* add(second)
            })
          )
        yield* Effect.all([crossing("a", "b"), crossing("b", "a")], { concurrency: 2 })
        expect(begun).toBeGreaterThan(2)
        expect(yield* sql`SELECT value FROM marks`).toEqual([{ value: "2" }, { value: "2" }])
      }).pipe(Effect.scoped)
    ))

  it("whose connection is lost is repeated on another", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* twoAccounts
        let begun = 0
        const cut = transaction(
          sql,
          "losing the connection",
          Effect.gen(function* () {
            begun += 1
            yield* sql`UPDATE marks SET value = value + 1 WHERE name = 'a'`
            if (begun === 1) yield* sql`SELECT pg_terminate_backend(pg_backend_pid())`
          })
        )
        yield* cut
        expect(begun).toBe(2)
        expect(yield* sql`SELECT value FROM marks ORDER BY name`).toEqual([{ value: "1" }, { value: "0" }])
      }).pipe(Effect.scoped)
    ))

  it("with a refused statement is a defect with the database's message, without a retry", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* twoAccounts
        let begun = 0
        const twice = Effect.tap(sql`INSERT INTO marks VALUES ('c', 1), ('c', 1)`, () => {
          begun += 1
        })
        const [defect] = defectsOf(yield* Effect.exit(transaction(sql, "marking", twice)))
        expect(defect).toMatchObject({ name: "SqlDefect" })
        expect(String(defect)).toMatch(/marking: .*duplicate key/)
        expect(begun).toBe(0)
        expect(yield* sql`SELECT name FROM marks`).toHaveLength(2)
      }).pipe(Effect.scoped)
    ))
})

describePostgres("a database", (server) => {
  it("refuses a text with a NUL character, as SQLite does", () =>
    run(
      Effect.gen(function* () {
        const place = yield* Effect.flatMap(server, (shared) => createDatabase(shared))
        const text = "a\u0000b"
        const put = Effect.flatMap(SqlClient, (sql) => sql`INSERT INTO service (name, value) VALUES ('n', ${text})`)
        expect(Exit.isFailure(yield* Effect.exit(Effect.provide(put, layerTestDatabase(place))))).toBe(true)
      })
    ))

  it("that cannot be opened is a defect with the reason but without the address", () =>
    run(
      Effect.gen(function* () {
        const { password, port, url } = yield* server
        const wrong = `not-${password}`
        const addresses = [
          [url("postgres").replace(password, wrong), /password authentication failed/, "StoreUnavailable"],
          [url("missing"), /does not exist/, "StoreUnavailable"],
          [url("postgres").replace(`:${port}/`, ":9/"), /ECONNREFUSED|connect/, "StoreUnavailable"],
          ...["verify-full", "require"].map(
            (mode) => [`${url("postgres")}?sslmode=${mode}`, /not support SSL/, "StoreUnavailable"] as const
          ),
          ...["sslmode=reqire", "sslmode=", "sslmode=disable&sslmode=require"].map(
            (modes) => [`${url("postgres")}?${modes}`, /sslmode .* one of disable, .*, no-verify$/, "SqlDefect"] as const
          ),
          [`mysql://sibyl:${password}@127.0.0.1/x`, /of the form postgres:/, "SqlDefect"],
          [`sibyl:${password}@127.0.0.1`, /of the form postgres:/, "SqlDefect"]
        ] as const
        const warned = vi.spyOn(process, "emitWarning")
        for (const [address, why, name] of addresses) {
          const opened = Layer.build(layerPostgres({ url: Redacted.make(address), connectTimeoutMs: 2_000 }))
          const [defect] = defectsOf(yield* Effect.exit(Effect.scoped(opened)))
          expect(defect).toMatchObject({ name })
          expect(String(defect)).toMatch(why)
          expect(inspect(defect, { depth: 20, showHidden: true })).not.toContain(password)
        }
        expect(warned).not.toHaveBeenCalled()
        warned.mockRestore()
      })
    ))
})
