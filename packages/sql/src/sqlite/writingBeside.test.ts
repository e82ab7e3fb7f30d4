/** The thread that writes, as the service sees it: it dies and is replaced, ends with its layer, and never holds up the process. */
import * as Reactivity from "@effect/experimental/Reactivity"
import type { SqlClient } from "@effect/sql/SqlClient"
import { StoreUnavailable } from "@sibyl/core"
import { Cause, Deferred, Effect, Exit, Fiber, type Scope } from "effect"
import { fileURLToPath } from "node:url"
import { BroadcastChannel } from "node:worker_threads"
import { describe, expect, it } from "vitest"
import { orSqlDefect } from "../database/sqlDefect.ts"
import { spawnBusyService } from "../fixtures/spawnBusyService.ts"
import { temporaryDatabase } from "../fixtures/temporaryDatabase.ts"
import { openSqlite } from "./sqliteClient.ts"
import { threadLink } from "./writer/threadLink.ts"
import type { ConnectWriter } from "./writer/writerLink.ts"
import { writingBeside } from "./writingBeside.ts"

const mortalWriter = fileURLToPath(new URL("testdata/mortalWriter.mjs", import.meta.url))

const open = (filename: string, file?: string, connect = threadLink(file)) =>
  Effect.gen(function* () {
    const sqlite = yield* openSqlite({ filename, busyTimeoutMs: 5_000 })
    // As each database of Sibyl has a table `service`, so that it opens again.
    yield* sqlite.exec("CREATE TABLE IF NOT EXISTS notes (text TEXT NOT NULL); CREATE TABLE IF NOT EXISTS service (name TEXT)")
    return yield* writingBeside(sqlite, { filename, patienceMs: 5_000, connect })
  }).pipe(Effect.provide(Reactivity.layer))

const onFile = <A, E>(test: (filename: string) => Effect.Effect<A, E, Scope.Scope>) =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(temporaryDatabase, test)))

const note = (sql: SqlClient, text: string) => orSqlDefect("writing a note")(sql`INSERT INTO notes (text) VALUES (${text})`)
const notes = (sql: SqlClient) =>
  Effect.map(sql<{ readonly text: string }>`SELECT text FROM notes ORDER BY rowid`, (rows) => rows.map(({ text }) => text))

const nextTurn = Effect.promise(() => new Promise<void>((resolve) => void setImmediate(resolve)))

const expectUnavailable = (exit: Exit.Exit<unknown, unknown>): void => {
  const [defect] = Exit.isFailure(exit) ? [...Cause.defects(exit.cause)] : []
  expect(defect).toBeInstanceOf(StoreUnavailable)
  expect(String(defect)).toContain("writing a note: the thread that writes to the database ended (exit code 7)")
}

describe("a writing thread that dies", () => {
  it("fails what waits for it as unavailable, has written nothing of it, and is replaced", () =>
    onFile((filename) =>
      Effect.gen(function* () {
        const sql = yield* open(filename, mortalWriter)
        const channel = yield* Effect.acquireRelease(
          Effect.sync(() => new BroadcastChannel(filename)),
          (opened) => Effect.sync(() => opened.close())
        )
        yield* note(sql, "before")
        for (const life of ["first", "second"]) {
          const begun = yield* Deferred.make<void>()
          const unfinished = sql.withTransaction(
            note(sql, `${life} undone`).pipe(Effect.zipRight(Deferred.succeed(begun, undefined)), Effect.zipRight(Effect.never))
          )
          const holder = yield* Effect.fork(unfinished)
          yield* Deferred.await(begun)
          const waiting = yield* Effect.fork(Effect.exit(note(sql, `${life} waiting`)))
          // Statements are sent at the end of their turn.
          yield* Effect.repeatN(nextTurn, 3)
          channel.postMessage("die")
          expectUnavailable(yield* Fiber.join(waiting))
          yield* Fiber.interrupt(holder)
          yield* note(sql, `${life} kept`)
        }
        expect(yield* notes(sql)).toEqual(["before", "first kept", "second kept"])
      })
    ))

  it("at its start fails its callers, each time", () =>
    onFile((filename) =>
      Effect.gen(function* () {
        const sql = yield* open(filename, `${filename}.missing.mjs`)
        for (let time = 0; time < 2; time += 1) {
          const exit = yield* Effect.exit(note(sql, "never"))
          const [defect] = Exit.isFailure(exit) ? [...Cause.defects(exit.cause)] : []
          expect(defect).toBeInstanceOf(StoreUnavailable)
        }
        expect(yield* notes(sql)).toEqual([])
      })
    ))
})

describe("a closed layer", () => {
  it("has written what waited, and refuses what comes later", () =>
    onFile((filename) =>
      Effect.gen(function* () {
        const texts = Array.from({ length: 200 }, (_, at) => `note ${at}`)
        let sent = 0
        const counting: ConnectWriter = (settings, listener) => {
          const link = threadLink()(settings, listener)
          return {
            ...link,
            post: (messages) => {
              sent += messages.length
              link.post(messages)
            }
          }
        }
        const used = Effect.gen(function* () {
          const sql = yield* open(filename, undefined, counting)
          const writers = yield* Effect.forEach(texts, (text) => Effect.forkDaemon(note(sql, text)))
          // Now and then Effect's scheduler waits for a timer, which comes after any number of turns. The thread is still starting.
          while (sent < texts.length) yield* nextTurn
          return { writers, closed: sql }
        })
        const { closed, writers } = yield* Effect.scoped(used)
        for (const exit of yield* Effect.forEach(writers, Fiber.await)) expect(Exit.isSuccess(exit)).toBe(true)
        const late = yield* Effect.exit(note(closed, "late"))
        expect(Exit.isFailure(late) && String([...Cause.defects(late.cause)][0])).toContain("the database is closed")
        const written = yield* notes(yield* open(filename))
        expect(written.toSorted()).toEqual(texts.toSorted())
      })
    ))

  it("lets its process end", () =>
    onFile((filename) =>
      Effect.gen(function* () {
        const service = yield* Effect.promise(() => spawnBusyService(filename, "once"))
        yield* Effect.promise(() => service.untilLines(1))
        yield* Effect.promise(() => service.ended)
        expect(service.lines).toEqual(["closed"])
      })
    ))
})
