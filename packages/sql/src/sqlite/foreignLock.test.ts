/** Behind another connection's write lock only writers wait, without blocking the event loop, and for a bounded time. */
import { SqlClient } from "@effect/sql/SqlClient"
import { StoreCheck, StoreUnavailable } from "@sibyl/core"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, type Scope } from "effect"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { temporaryDatabase } from "../fixtures/temporaryDatabase.ts"
import { orSqlDefect } from "../database/sqlDefect.ts"
import { layerSqlStoreCheck } from "../sqlStoreCheck.ts"
import type { DatabaseSync } from "./connection/databaseSync.ts"
import { loadDatabaseSync } from "./connection/loadDatabaseSync.ts"
import { layerSqlite } from "./layerSqlite.ts"

/** A second connection, as another process would have. */
const foreigner = (filename: string): Effect.Effect<DatabaseSync, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.map(Effect.orDie(loadDatabaseSync), (Database) => new Database(filename)),
    (database) => Effect.sync(() => database.close())
  )

interface Ground {
  readonly filename: string
  readonly foreign: DatabaseSync
}

const onFile = <A, E>(busyTimeoutMs: number, test: (ground: Ground) => Effect.Effect<A, E, SqlClient | StoreCheck | Scope.Scope>) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const filename = yield* temporaryDatabase
        const opened = Layer.provideMerge(layerSqlStoreCheck, layerSqlite({ filename, busyTimeoutMs }))
        const ours = Effect.gen(function* () {
          const sql = yield* SqlClient
          yield* sql`CREATE TABLE notes (text TEXT NOT NULL)`
          return yield* test({ filename, foreign: yield* foreigner(filename) })
        })
        return yield* Effect.provide(ours, opened)
      })
    )
  )

const note = (text: string) => Effect.flatMap(SqlClient, (sql) => sql`INSERT INTO notes (text) VALUES (${text})`)
const noteInTransaction = (text: string) => Effect.flatMap(SqlClient, (sql) => sql.withTransaction(note(text)))
const notes = Effect.flatMap(SqlClient, (sql) => Effect.map(sql`SELECT text FROM notes`, (rows) => rows.length))

describe.each([
  ["a statement", note],
  ["a transaction", noteInTransaction]
])("behind a foreign lock, %s", (_, write) => {
  it("waits without blocking the event loop or readers, and succeeds when the lock is released", () =>
    onFile(60_000, ({ foreign }) =>
      Effect.gen(function* () {
        foreign.exec("BEGIN IMMEDIATE")
        const waiting = yield* Effect.fork(write("waited"))
        let turns = 0
        while (turns < 100) {
          expect(yield* notes).toBe(0)
          yield* Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void)))
          turns += 1
        }
        expect(waiting.unsafePoll()).toBeNull()
        foreign.exec("COMMIT")
        yield* Fiber.join(waiting)
        expect(yield* notes).toBe(1)
      })
    ))

  it("is refused as unavailable when its patience is exhausted, the next one at once, and later ones succeed", () =>
    onFile(200, ({ foreign }) =>
      Effect.gen(function* () {
        foreign.exec("BEGIN IMMEDIATE")
        const refused = Effect.gen(function* () {
          const exit = yield* Effect.exit(orSqlDefect("writing a note")(write("refused")))
          const [defect] = Exit.isFailure(exit) ? [...Cause.defects(exit.cause)] : []
          expect(defect).toBeInstanceOf(StoreUnavailable)
          expect(String(defect)).toContain("writing a note: database is locked")
        })
        yield* refused
        const startedMs = performance.now()
        for (let at = 0; at < 100; at += 1) yield* refused
        // 100 waits of 200 ms would take 20 s.
        expect(performance.now() - startedMs).toBeLessThan(10_000)
        foreign.exec("COMMIT")
        yield* write("kept")
        expect(yield* notes).toBe(1)
      })
    ))
})

describe("behind many short foreign locks", () => {
  it("no statement is refused, however long they go on, if there are gaps between them", () =>
    onFile(1_000, ({ foreign }) =>
      Effect.gen(function* () {
        const startedMs = performance.now()
        let written = 0
        while (performance.now() - startedMs < 3_000) {
          foreign.exec("BEGIN IMMEDIATE")
          const waiting = yield* Effect.fork(noteInTransaction("between"))
          yield* Effect.sleep(20)
          foreign.exec("COMMIT")
          yield* Fiber.join(waiting)
          written += 1
        }
        expect(yield* notes).toBe(written)
      })
    ))
})

describe("behind a foreign lock", () => {
  it("the check of the store fails", () =>
    onFile(100, ({ foreign }) =>
      Effect.gen(function* () {
        const { check } = yield* StoreCheck
        yield* check
        foreign.exec("BEGIN IMMEDIATE")
        expect(Exit.isFailure(yield* Effect.exit(check))).toBe(true)
        foreign.exec("COMMIT")
        yield* check
      })
    ))

  it("a transaction of another fiber is not affected by one that gives up", () =>
    onFile(100, ({ foreign }) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        foreign.exec("BEGIN IMMEDIATE")
        const givingUp = yield* Effect.fork(Effect.exit(noteInTransaction("given up")))
        yield* Effect.sleep(10)
        foreign.exec("COMMIT")
        const [begun, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const long = sql.withTransaction(
          note("kept").pipe(Effect.zipRight(Deferred.succeed(begun, undefined)), Effect.zipRight(Deferred.await(mayEnd)))
        )
        const under = yield* Effect.fork(long)
        yield* Deferred.await(begun)
        yield* Effect.sleep(50)
        yield* Deferred.succeed(mayEnd, undefined)
        yield* Fiber.join(under)
        yield* Fiber.join(givingUp)
        expect(yield* notes).toBeGreaterThanOrEqual(1)
      })
    ))
})

describe("a file that was closed properly", () => {
  it("is the complete database without its log", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const filename = yield* temporaryDatabase
          const first = Effect.gen(function* () {
            yield* Effect.flatMap(SqlClient, (sql) => sql`CREATE TABLE notes (text TEXT NOT NULL)`)
            for (let at = 0; at < 50; at += 1) yield* note(`note ${at}`)
          })
          yield* Effect.provide(first, layerSqlite({ filename }))
          const log = `${filename}-wal`
          expect(existsSync(log) ? statSync(log).size : 0).toBe(0)
          const copy = `${filename}.copy`
          writeFileSync(copy, readFileSync(filename))
          const found = yield* Effect.provide(notes, Layer.fresh(layerSqlite({ filename: copy })))
          expect(found).toBe(50)
        })
      )
    ))
})
