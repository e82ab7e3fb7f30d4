/** A thread that has answered and ended before its process could read the answers: what is written is not called lost. */
import { Effect } from "effect"
import { fileURLToPath } from "node:url"
import { BroadcastChannel } from "node:worker_threads"
import { describe, expect, it } from "vitest"
import { temporaryDatabase } from "../../fixtures/temporaryDatabase.ts"
import { databaseSyncClass } from "../connection/databaseSync.ts"
import type { Outcome, StatementOrder } from "./messages.ts"
import { SharedWriter } from "./sharedWriter.ts"
import { WriterThread } from "./writerThread.ts"

const mortalWriter = fileURLToPath(new URL("../testdata/mortalWriter.mjs", import.meta.url))

const insert = (text: string): StatementOrder => ({ kind: "statement", text: "INSERT INTO notes (text) VALUES (?)", values: [text] })
const texts = Array.from({ length: 50 }, (_, at) => `note ${at}`)

const onFile = (test: (filename: string, texts: () => ReadonlyArray<unknown>) => Promise<void>): Promise<void> =>
  Effect.gen(function* () {
    const filename = yield* temporaryDatabase
    const Database = yield* Effect.promise(databaseSyncClass)
    const database = yield* Effect.acquireRelease(
      Effect.sync(() => new Database(filename)),
      (opened) => Effect.sync(() => opened.close())
    )
    database.exec("PRAGMA journal_mode = WAL; CREATE TABLE notes (text TEXT NOT NULL)")
    yield* Effect.promise(() =>
      test(filename, () =>
        database
          .prepare("SELECT text FROM notes ORDER BY rowid")
          .all()
          .map(({ text }) => text)
      )
    )
  }).pipe(Effect.scoped, Effect.runPromise)

/** Keeps this thread's event loop from reading anything until the condition holds. */
const blockUntil = (holds: () => boolean): void => {
  const pause = new Int32Array(new SharedArrayBuffer(4))
  for (let tries = 0; !holds(); tries += 1) {
    if (tries === 3_000) throw new Error("this has not happened in 30 s")
    Atomics.wait(pause, 0, 0, 10)
  }
}

/** The thread's last steps after what it has written was seen: to answer, and to end. */
const stepsMs = 300
const blockFor = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

describe("a writer that is closed while its process is busy", () => {
  it("has its answers read", () =>
    onFile(async (filename, written) => {
      const writer = new WriterThread({ filename, patienceMs: 5_000, onAnswers: () => {} })
      const outcomes: Array<Outcome> = []
      for (const text of texts) writer.send(insert(text), (outcome) => void outcomes.push(outcome))
      await nextTurn()
      const closed = writer.close()
      // The order to close is sent in a microtask.
      await Promise.resolve()
      blockUntil(() => written().length === texts.length)
      blockFor(stepsMs)
      expect(outcomes).toEqual([])
      await closed
      expect(outcomes).toEqual(texts.map(() => ({ value: [] })))
      expect(written()).toEqual(texts)
    }))
})

describe("a writer that dies while its process is busy", () => {
  it("has its answers read, of every client, before they are told", () =>
    onFile(async (filename, written) => {
      const channel = new BroadcastChannel(filename)
      const writer = new SharedWriter({ filename, patienceMs: 5_000 }, mortalWriter)
      const heard: Record<string, Array<string>> = { left: [], right: [] }
      const [left, right] = Object.values(heard).map((told) =>
        writer.client({
          answered: (answers) => void told.push(...answers.map(([id, outcome]) => `${id} ${"value" in outcome}`)),
          lost: (why) => void told.push(why)
        })
      )
      left?.post([{ id: 1, order: insert("left") }])
      right?.post([{ id: 1, order: insert("right") }])
      blockUntil(() => written().length === 2)
      blockFor(stepsMs)
      channel.postMessage("die")
      blockFor(stepsMs)
      expect(heard).toEqual({ left: [], right: [] })
      while (Object.values(heard).some((told) => told.length < 2)) await nextTurn()
      channel.close()
      await writer.close()
      expect(heard).toEqual({ left: ["1 true", "exit code 7"], right: ["1 true", "exit code 7"] })
    }))
})
