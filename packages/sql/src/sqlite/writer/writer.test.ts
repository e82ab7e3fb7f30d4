/** The writer: many tasks share a commit, each with its own outcome; a client's transaction excludes others; what dies is replaced. */
import { Effect } from "effect"
import { describe, expect, it, vi } from "vitest"
import { temporaryDatabase } from "../../fixtures/temporaryDatabase.ts"
import type { Procedure } from "../../database/procedure.ts"
import { databaseSyncClass } from "../connection/databaseSync.ts"
import { SqliteConnection } from "../connection/sqliteConnection.ts"
import type { Answers, Message, Order, Outcome } from "./messages.ts"
import { Writer, type WriterClient } from "./writer.ts"

/** Writes two texts, then fails if it is asked to. */
const two: Procedure<{ readonly texts: ReadonlyArray<string>; readonly fails: boolean }, number> = {
  name: "two",
  *plan(_dialect, { fails, texts }) {
    for (const text of texts) yield { text: "INSERT INTO notes (text) VALUES (?)", values: [text] }
    if (fails) yield { text: "INSERT INTO notes (text) VALUES (?)", values: [null] }
    return texts.length
  }
}

const insert = (text: string): Order => ({
  kind: "statement",
  text: "INSERT INTO notes (text) VALUES (?)",
  values: [text]
})

/** A client whose messages and answers the test sees. */
class HandClient implements WriterClient {
  readonly messages: Array<Message> = []
  readonly answers: Array<Answers> = []
  isClosed = false
  #orders = 0

  readonly arrived = (): ReadonlyArray<Message> => this.messages.splice(0)
  readonly answer = (answers: Answers): void => void this.answers.push(answers)
  readonly closed = (): void => void (this.isClosed = true)

  send(...orders: ReadonlyArray<Order>): ReadonlyArray<number> {
    return orders.map((order) => {
      this.#orders += 1
      this.messages.push({ id: this.#orders, order })
      return this.#orders
    })
  }

  takeBack(id: number | undefined): void {
    this.messages.push({ id: id ?? 0, order: undefined })
  }

  outcome(id: number | undefined): Outcome | undefined {
    return this.answers.flat().find(([answered]) => answered === id)?.[1]
  }
}

interface Ground {
  readonly writer: Writer
  readonly client: HandClient
  readonly second: HandClient
  /** Another connection to the file. */
  readonly foreign: SqliteConnection
  readonly notes: () => ReadonlyArray<unknown>
}

const onFile = (test: (ground: Ground) => void, patienceMs = 0): Promise<void> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const filename = yield* temporaryDatabase
        const Database = yield* Effect.promise(databaseSyncClass)
        const writer = new Writer({ filename, patienceMs }, Database, new Map([[two.name, two]]))
        const [client, second] = [new HandClient(), new HandClient()]
        for (const one of [client, second]) writer.add(one)
        const create =
          "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, parent INTEGER REFERENCES notes DEFERRABLE INITIALLY DEFERRED)"
        client.send({ kind: "statement", text: create, values: [] })
        writer.work()
        client.answers.splice(0)
        const foreign = new SqliteConnection(Database, filename)
        const notes = () => foreign.rows("SELECT text FROM notes ORDER BY id", []).map((row) => Object.values(row)[0])
        try {
          test({ writer, client, second, foreign, notes })
        } finally {
          foreign.close()
          for (const one of [client, second]) one.send({ kind: "close" })
          writer.work()
        }
      })
    )
  )

/** Does all that waits while no time passes, which would end a group: a machine may stand still for as long as a group may take. */
const workAtOnce = (writer: Writer): void => {
  const clock = vi.spyOn(performance, "now").mockReturnValue(0)
  try {
    writer.work()
  } finally {
    clock.mockRestore()
  }
}

const refusedWith = (text: string) => ({ fault: { message: expect.stringContaining(text) } })

describe("tasks", () => {
  it("that wait together share one commit and one answer, also those of another client", () =>
    onFile(({ client, foreign, notes, second, writer }) => {
      const version = () => foreign.rows("SELECT data_version FROM pragma_data_version", [])
      const before = Object.values(version()[0] ?? {})[0]
      client.send(insert("a"), { kind: "procedure", name: "two", input: { texts: ["b", "c"], fails: false } }, insert("d"))
      second.send(insert("e"))
      workAtOnce(writer)
      expect(notes()).toEqual(["a", "b", "c", "d", "e"])
      expect(client.answers).toEqual([
        [
          [2, { value: [] }],
          [3, { value: 2 }],
          [4, { value: [] }]
        ]
      ])
      expect(second.answers).toEqual([[[1, { value: [] }]]])
      // Each commit by another connection counts one.
      expect(Object.values(version()[0] ?? {})[0]).toBe(Number(before) + 1)
    }))

  it("have outcomes of their own: one that fails undoes itself only", () =>
    onFile(({ client, notes, writer }) => {
      const failing = { kind: "procedure", name: "two", input: { texts: ["b", "c"], fails: true } } as const
      const [, , bad, twice] = client.send(insert("a"), insert("z"), failing, insert("a"), insert("d"))
      workAtOnce(writer)
      expect(notes()).toEqual(["a", "z", "d"])
      expect(client.outcome(bad)).toMatchObject(refusedWith("NOT NULL"))
      expect(client.outcome(twice)).toMatchObject(refusedWith("UNIQUE"))
      expect(client.answers).toHaveLength(1)
    }))

  it("whose commit fails are repeated one by one, so that only the faulty one fails", () =>
    onFile(({ client, notes, writer }) => {
      const dangling: Order = {
        kind: "statement",
        text: "INSERT INTO notes (text, parent) VALUES ('x', 99)",
        values: []
      }
      const [one, bad, other] = client.send(insert("a"), dangling, insert("b"))
      writer.work()
      expect(notes()).toEqual(["a", "b"])
      expect([client.outcome(one), client.outcome(other)]).toEqual([{ value: [] }, { value: [] }])
      expect(client.outcome(bad)).toMatchObject(refusedWith("FOREIGN KEY"))
    }))

  it("are flushed by their commit, and what a savepoint could have to undo goes to no file", () =>
    onFile(({ client, writer }) => {
      const asked = (text: string): Order => ({ kind: "statement", text, values: [] })
      const [level, store] = client.send(asked("PRAGMA synchronous"), asked("PRAGMA temp_store"))
      writer.work()
      expect(client.outcome(level)).toEqual({ value: [{ synchronous: 2 }] })
      expect(client.outcome(store)).toEqual({ value: [{ temp_store: 2 }] })
    }))

  it("are dropped if they are taken back before they begin", () =>
    onFile(({ client, notes, writer }) => {
      const [, given] = client.send(insert("a"), insert("given up"))
      client.takeBack(given)
      writer.work()
      expect(notes()).toEqual(["a"])
      expect(client.outcome(given)).toBeUndefined()
    }))

  it("behind another process's lock are refused together when the patience is over, and later ones succeed", () =>
    onFile(({ client, foreign, notes, writer }) => {
      foreign.exec("BEGIN IMMEDIATE")
      const ids = client.send(insert("a"), insert("b"), { kind: "begin", transaction: 1 })
      writer.work()
      for (const id of ids) expect(client.outcome(id)).toMatchObject(refusedWith("database is locked"))
      foreign.exec("COMMIT")
      client.send(insert("c"))
      writer.work()
      expect(notes()).toEqual(["c"])
    }, 20))
})

describe("a client's transaction", () => {
  it("excludes all others until it ends, and is seen by nobody before", () =>
    onFile(({ client, notes, second, writer }) => {
      client.send({ kind: "begin", transaction: 7 }, insert("later"))
      second.send(insert("later too"))
      writer.work()
      client.send({ kind: "within", transaction: 7, text: "INSERT INTO notes (text) VALUES ('within')", values: [] })
      writer.work()
      expect(notes()).toEqual([])
      expect(second.answers).toEqual([])
      client.send({ kind: "commit", transaction: 7 })
      writer.work()
      expect(notes()).toEqual(["within", "later", "later too"])
    }))

  it("is rolled back when its client goes, and unknown to a writer that did not begin it", () =>
    onFile(({ client, notes, second, writer }) => {
      client.send({ kind: "begin", transaction: 7 })
      writer.work()
      client.send({ kind: "within", transaction: 7, text: "INSERT INTO notes (text) VALUES ('within')", values: [] }, { kind: "close" })
      second.send(insert("after"))
      writer.work()
      expect([client.isClosed, notes()]).toEqual([true, ["after"]])
      const [within, rollback] = second.send(
        { kind: "within", transaction: 9, text: "DELETE FROM notes", values: [] },
        { kind: "rollback", transaction: 9 }
      )
      writer.work()
      expect(second.outcome(within)).toMatchObject({ fault: { code: "ERR_WRITER_LOST" } })
      expect(second.outcome(rollback)).toEqual({ value: [] })
      expect(notes()).toEqual(["after"])
    }))
})
