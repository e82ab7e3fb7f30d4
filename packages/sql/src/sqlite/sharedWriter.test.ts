/** One writer for several services of a file: they write through it, exclude each other's transactions, and lose together what it loses. */
import * as Reactivity from "@effect/experimental/Reactivity"
import type { SqlClient } from "@effect/sql/SqlClient"
import { StoreUnavailable } from "@sibyl/core"
import { Cause, Deferred, Effect, Exit, Fiber, type Scope } from "effect"
import { fileURLToPath } from "node:url"
import { BroadcastChannel } from "node:worker_threads"
import { expect, it } from "vitest"
import { orSqlDefect } from "../database/sqlDefect.ts"
import { temporaryDatabase } from "../fixtures/temporaryDatabase.ts"
import { openSqlite } from "./sqliteClient.ts"
import { SharedWriter } from "./writer/sharedWriter.ts"
import type { ConnectWriter } from "./writer/writerLink.ts"
import { writingBeside } from "./writingBeside.ts"

const mortalWriter = fileURLToPath(new URL("testdata/mortalWriter.mjs", import.meta.url))

/** One service of the file, and how its process dies. */
interface Opened {
  readonly sql: SqlClient
  readonly die: () => void
}

const open = (filename: string, writer: SharedWriter): Effect.Effect<Opened, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const clients: Array<() => void> = []
    const connect: ConnectWriter = (_settings, listener) => {
      const client = writer.client(listener)
      clients.push(() => {
        client.close()
        // The fibers of a process that has died are gone; those of this test still wait for answers.
        listener.lost("the process has died")
      })
      return { post: client.post, keepAlive: () => {}, ended: Promise.resolve() }
    }
    const sqlite = yield* openSqlite({ filename, busyTimeoutMs: 5_000 })
    // As each database of Sibyl has a table `service`, so that it opens again.
    yield* sqlite.exec("CREATE TABLE IF NOT EXISTS notes (text TEXT NOT NULL); CREATE TABLE IF NOT EXISTS service (name TEXT)")
    const sql = yield* writingBeside(sqlite, { filename, patienceMs: 5_000, connect })
    return { sql, die: () => clients.at(-1)?.() }
  }).pipe(Effect.provide(Reactivity.layer))

const onFile = <A, E>(test: (left: Opened, right: Opened, channel: BroadcastChannel) => Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
  Effect.gen(function* () {
    const filename = yield* temporaryDatabase
    const channel = yield* Effect.acquireRelease(
      Effect.sync(() => new BroadcastChannel(filename)),
      (opened) => Effect.sync(() => opened.close())
    )
    const writer = yield* Effect.acquireRelease(
      Effect.sync(() => new SharedWriter({ filename, patienceMs: 5_000 }, mortalWriter)),
      (opened) => Effect.promise(() => opened.close())
    )
    return yield* test(yield* open(filename, writer), yield* open(filename, writer), channel)
  }).pipe(Effect.scoped, Effect.runPromise)

const note = (sql: SqlClient, text: string) => orSqlDefect("writing a note")(sql`INSERT INTO notes (text) VALUES (${text})`)
const notes = (sql: SqlClient) =>
  Effect.map(sql<{ readonly text: string }>`SELECT text FROM notes ORDER BY text`, (rows) => rows.map(({ text }) => text))

/** Begins a transaction that writes and never ends by itself. */
const endless = (sql: SqlClient, text: string) =>
  Effect.gen(function* () {
    const begun = yield* Deferred.make<void>()
    const transaction = sql.withTransaction(
      note(sql, text).pipe(Effect.zipRight(Deferred.succeed(begun, undefined)), Effect.zipRight(Effect.never))
    )
    const fiber = yield* Effect.fork(transaction)
    yield* Deferred.await(begun)
    return fiber
  })

const expectLost = (exit: Exit.Exit<unknown, unknown>): void => {
  const [defect] = Exit.isFailure(exit) ? [...Cause.defects(exit.cause)] : []
  expect(defect).toBeInstanceOf(StoreUnavailable)
}

it("writes for all, and each reads what another was answered", () =>
  onFile((left, right) =>
    Effect.gen(function* () {
      yield* Effect.all(
        Array.from({ length: 40 }, (_, at) => note(at % 2 === 0 ? left.sql : right.sql, `${at + 10}`)),
        { concurrency: "unbounded" }
      )
      expect(yield* notes(left.sql)).toHaveLength(40)
      expect(yield* notes(right.sql)).toEqual(yield* notes(left.sql))
    })
  ))

it("lets one wait for the transaction of another, and rolls back what a process that has died had begun", () =>
  onFile((left, right) =>
    Effect.gen(function* () {
      yield* endless(left.sql, "undone")
      const waiting = yield* Effect.fork(note(right.sql, "kept"))
      yield* Effect.sleep(20)
      expect(yield* notes(right.sql)).toEqual([])
      left.die()
      yield* Fiber.join(waiting)
      // The number of a transaction is each service's own.
      yield* right.sql.withTransaction(note(right.sql, "kept too"))
      expect(yield* notes(right.sql)).toEqual(["kept", "kept too"])
    })
  ))

it("fails what all of them wait for when its thread dies, and writes again for each", () =>
  onFile((left, right, channel) =>
    Effect.gen(function* () {
      yield* note(left.sql, "1")
      const holder = yield* endless(left.sql, "undone")
      const waiting = yield* Effect.forEach([left, right], ({ sql }) => Effect.fork(Effect.exit(note(sql, "waiting"))))
      yield* Effect.sleep(20)
      channel.postMessage("die")
      for (const fiber of waiting) expectLost(yield* Fiber.join(fiber))
      yield* Fiber.interrupt(holder)
      yield* note(right.sql, "2")
      yield* note(left.sql, "3")
      expect(yield* notes(left.sql)).toEqual(["1", "2", "3"])
    })
  ))
