/** The client: durable settings, a private file, isolated transactions, and errors that leave it usable. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Freshness } from "@sibyl/core"
import { Cause, Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { chmodSync, readdirSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { temporaryDatabase } from "../fixtures/temporaryDatabase.ts"
import { SqlDefect } from "../database/sqlDefect.ts"
import { transaction } from "../database/transaction.ts"
import { layerSqlite } from "./layerSqlite.ts"

const onFile = <A, E>(test: (filename: string) => Effect.Effect<A, E, SqlClient>) =>
  Effect.runPromise(
    Effect.scoped(Effect.flatMap(temporaryDatabase, (filename) => Effect.provide(test(filename), layerSqlite({ filename }))))
  )

const withTable = Effect.tap(
  SqlClient,
  (sql) => sql`CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, parent INTEGER REFERENCES notes)`
)

const modeOf = (file: string): number => statSync(file).mode & 0o777

describe("an opened file", () => {
  it("has a write-ahead log, flushes every commit, checks foreign keys, never waits in the driver", () =>
    onFile(() =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        expect(yield* sql`PRAGMA journal_mode`).toMatchObject([{ journal_mode: "wal" }])
        expect(yield* sql`PRAGMA synchronous`).toMatchObject([{ synchronous: 2 }])
        expect(yield* sql`PRAGMA foreign_keys`).toMatchObject([{ foreign_keys: 1 }])
        expect(yield* sql`PRAGMA busy_timeout`).toMatchObject([{ timeout: 0 }])
        expect(yield* sql`PRAGMA locking_mode`).toMatchObject([{ locking_mode: "normal" }])
      })
    ))

  it("can be read by its owner only, with everything beside it", () =>
    onFile((filename) =>
      Effect.gen(function* () {
        const sql = yield* withTable
        yield* sql`INSERT INTO notes (text) VALUES ('one')`
        const files = readdirSync(dirname(filename))
        expect(files.length).toBeGreaterThan(1)
        for (const file of files) expect([file, modeOf(join(dirname(filename), file))]).toEqual([file, 0o600])
      })
    ))

  it("is made private if it was not", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const filename = yield* temporaryDatabase
          yield* Effect.scoped(Layer.build(layerSqlite({ filename })))
          chmodSync(filename, 0o644)
          yield* Layer.build(Layer.fresh(layerSqlite({ filename })))
          expect(modeOf(filename)).toBe(0o600)
        })
      )
    ))

  it("is a SqlDefect if it is not a database", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const folder = dirname(yield* temporaryDatabase)
          const exit = yield* Effect.exit(Layer.build(layerSqlite({ filename: folder })))
          expect(Exit.isFailure(exit) && [...Cause.defects(exit.cause)]).toMatchObject([{ name: "SqlDefect" }])
        })
      )
    ))
})

describe("transactions", () => {
  it("exclude the writes of other fibers, whose reads see what is committed", () =>
    onFile(() =>
      Effect.gen(function* () {
        const sql = yield* withTable
        const begun = yield* Deferred.make<void>()
        const mayEnd = yield* Deferred.make<void>()
        const undone = sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`INSERT INTO notes (text) VALUES ('undone')`
            yield* Deferred.succeed(begun, undefined)
            yield* Deferred.await(mayEnd)
            return yield* Effect.fail("changed my mind")
          })
        )
        const first = yield* Effect.fork(Effect.exit(undone))
        yield* Deferred.await(begun)
        const second = yield* Effect.fork(sql`INSERT INTO notes (text) VALUES ('kept')`)
        expect(yield* sql`SELECT text FROM notes`).toEqual([])
        expect(second.unsafePoll()).toBeNull()
        yield* Deferred.succeed(mayEnd, undefined)
        expect(yield* Fiber.join(first)).toEqual(Exit.fail("changed my mind"))
        yield* Fiber.join(second)
        expect(yield* sql`SELECT text FROM notes`).toMatchObject([{ text: "kept" }])
      })
    ))

  it("are rolled back if they are interrupted, and the connection stays usable", () =>
    onFile(() =>
      Effect.gen(function* () {
        const sql = yield* withTable
        const begun = yield* Deferred.make<void>()
        const endless = sql.withTransaction(
          sql`INSERT INTO notes (text) VALUES ('undone')`.pipe(
            Effect.zipRight(Deferred.succeed(begun, undefined)),
            Effect.zipRight(Effect.never)
          )
        )
        const fiber = yield* Effect.fork(endless)
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(fiber)
        yield* sql.withTransaction(sql`INSERT INTO notes (text) VALUES ('kept')`)
        expect(yield* sql`SELECT text FROM notes`).toMatchObject([{ text: "kept" }])
      })
    ))

  it("can be interrupted while they wait for another one", () =>
    onFile(() =>
      Effect.gen(function* () {
        const sql = yield* withTable
        const [begun, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const long = sql.withTransaction(Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(mayEnd)))
        const holder = yield* Effect.fork(long)
        yield* Deferred.await(begun)
        const waiting = yield* Effect.fork(sql`INSERT INTO notes (text) VALUES ('given up')`)
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(waiting)
        yield* Deferred.succeed(mayEnd, undefined)
        yield* Fiber.join(holder)
        expect(yield* sql`SELECT text FROM notes`).toEqual([])
      })
    ))

  it("whose commit fails are a SqlDefect, and the next one can begin", () =>
    onFile(() =>
      Effect.gen(function* () {
        const sql = yield* withTable
        const dangling = Effect.gen(function* () {
          yield* sql`PRAGMA defer_foreign_keys = ON`
          yield* sql`INSERT INTO notes (text, parent) VALUES ('no parent', 99)`
        })
        const exit = yield* Effect.exit(transaction(sql, "writing a note", dangling))
        const defects = Exit.isFailure(exit) ? [...Cause.defects(exit.cause)] : []
        expect(defects).toHaveLength(1)
        expect(defects[0]).toBeInstanceOf(SqlDefect)
        expect(defects[0]).toMatchObject({ message: "writing a note: FOREIGN KEY constraint failed" })
        yield* transaction(sql, "writing a note", sql`INSERT INTO notes (text) VALUES ('kept')`)
        expect(yield* sql`SELECT text FROM notes`).toMatchObject([{ text: "kept" }])
      })
    ))
})

describe("values", () => {
  it("round-trip", () =>
    onFile(() =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const bytes = Uint8Array.of(0, 1, 255)
        const [row] = yield* sql`
          SELECT ${null} AS absent, ${Number.MAX_SAFE_INTEGER} AS number, ${"a🜚\u2028"} AS text, ${bytes} AS bytes`
        expect({ ...row }).toEqual({ absent: null, number: Number.MAX_SAFE_INTEGER, text: "a🜚\u2028", bytes })
        expect(yield* sql`SELECT 1 AS a, 'x' AS b`.values).toEqual([[1, "x"]])
      })
    ))

  it("that SQLite cannot store are an error of the statement", () =>
    onFile(() =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        for (const value of [{ an: "object" }, undefined, "cut \u0000 short"]) {
          expect(yield* Effect.flip(sql`SELECT ${value}`)).toMatchObject({ _tag: "SqlError" })
        }
        expect(yield* sql`SELECT 1 AS one`).toMatchObject([{ one: 1 }])
      })
    ))
})

/** Commits of other connections are visible from the next turn of the event loop on. */
const nextTurn = Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void)))

describe("the version of a file", () => {
  const versions = Effect.flatMap(Freshness, ({ version }) => Effect.sync(version))
  const onStamped = <A, E>(test: (filename: string) => Effect.Effect<A, E, SqlClient | Freshness>) =>
    Effect.runPromise(
      Effect.scoped(Effect.flatMap(temporaryDatabase, (filename) => Effect.provide(test(filename), layerSqlite({ filename }))))
    )

  it("does not change while nothing is written, also with readers", () =>
    onStamped((filename) =>
      Effect.gen(function* () {
        const sql = yield* withTable
        const before = yield* versions
        yield* sql`SELECT * FROM notes`
        yield* sql.withTransaction(sql`SELECT count(*) FROM notes`)
        const other = sql`SELECT * FROM notes`.pipe(
          Effect.zipRight(Effect.flatMap(SqlClient, (theirs) => theirs`SELECT * FROM notes`)),
          Effect.provide(layerSqlite({ filename }))
        )
        yield* other
        const after = yield* versions
        yield* sql`SELECT * FROM notes`
        expect([after, yield* versions]).toEqual([after, after])
        expect(before).toBeTypeOf("string")
      })
    ))

  it("changes with every write of its own and any other connection", () =>
    onStamped((filename) =>
      Effect.gen(function* () {
        const sql = yield* withTable
        const seen = new Set<unknown>([yield* versions])
        yield* sql`INSERT INTO notes (text) VALUES ('one')`
        seen.add(yield* versions)
        yield* sql.withTransaction(sql`UPDATE notes SET text = 'two'`)
        seen.add(yield* versions)
        const write = (text: string) => Effect.flatMap(SqlClient, (theirs) => theirs`INSERT INTO notes (text) VALUES (${text})`)
        const others = yield* Layer.build(Layer.fresh(layerSqlite({ filename })))
        for (const text of ["three", "four"]) {
          yield* Effect.provide(write(text), others)
          yield* nextTurn
          seen.add(yield* versions)
        }
        yield* sql`DELETE FROM notes`
        seen.add(yield* versions)
        expect(seen.size).toBe(6)
      }).pipe(Effect.scoped)
    ))
})
