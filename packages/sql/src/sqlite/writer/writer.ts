/** The one that writes to a database: takes orders of its clients, in their order, and lets as many as possible share a commit. */
import { sqliteCodeOf, sqliteCodes } from "../../database/resultCode.ts"
import type { DatabaseSyncClass } from "../connection/databaseSync.ts"
import { Patience, pauseMs } from "../connection/patience.ts"
import { connectionSettings, SqliteConnection } from "../connection/sqliteConnection.ts"
import { type Procedures, runGroup } from "./groupTransaction.ts"
import {
  type Answers,
  errorOf,
  faultOf,
  lostCode,
  type Message,
  type Order,
  type Outcome,
  type Task,
  type WriterSettings
} from "./messages.ts"

/** One that gives orders: what has arrived from it, and how it is answered. */
export interface WriterClient {
  /** Messages that have arrived and were not read yet. */
  readonly arrived: () => ReadonlyArray<Message>
  readonly answer: (answers: Answers) => void
  /** The client wants no more. */
  readonly closed: () => void
}

interface Entry<Kind extends Order = Order> {
  readonly client: WriterClient
  readonly id: number
  readonly order: Kind
}

const begin = "BEGIN IMMEDIATE"

/**
 * What a savepoint could have to undo is kept in memory: SQLite would write it to a file, of pages nearly a third of all that a busy server
 * writes.
 */
const writingSettings = (filename: string): string => `${connectionSettings(filename)}; PRAGMA temp_store = MEMORY`

/** Statements that can share a transaction; pragmas and VACUUM cannot. */
const shareable = /^\s*(?:SELECT|INSERT|UPDATE|DELETE|REPLACE|WITH|CREATE|DROP|ALTER)\b/i

/** Whether the connection should not be used any more. */
const isBroken = (cause: unknown): boolean => sqliteCodeOf(cause) === sqliteCodes.ioError

const isTask = (order: Order): order is Task => order.kind === "statement" || order.kind === "procedure"
const mayShare = (order: Order): order is Task => order.kind === "procedure" || (order.kind === "statement" && shareable.test(order.text))

/** Sleeps in this thread, which has nothing else to do while another process writes. */
const sleep = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

/** Writes for its clients. Plain, synchronous code: it runs in a thread of its own. */
export class Writer {
  readonly #settings: WriterSettings
  readonly #Database: DatabaseSyncClass
  readonly #procedures: Procedures
  readonly #clients = new Set<WriterClient>()
  readonly #patience: Patience
  #connection: SqliteConnection | undefined
  #queue: Array<Entry> = []
  /** The transaction that a client has begun: until its end nobody else's orders are carried out. */
  #open: { readonly client: WriterClient; readonly transaction: number; readonly orders: Array<Entry> } | undefined

  constructor(settings: WriterSettings, Database: DatabaseSyncClass, procedures: Procedures) {
    this.#settings = settings
    this.#Database = Database
    this.#procedures = procedures
    this.#patience = new Patience(settings.patienceMs)
  }

  /** Serves a client too, from now on. */
  add(client: WriterClient): void {
    this.#clients.add(client)
  }

  /** Carries out all that has arrived and can be carried out now. */
  work(): void {
    for (;;) {
      this.#receive()
      const entry = this.#open === undefined ? this.#queue[0] : this.#open.orders.shift()
      if (entry === undefined) return
      if (this.#open === undefined && mayShare(entry.order)) this.#runGroup()
      else {
        if (this.#open === undefined) this.#queue.shift()
        this.#carryOut(entry)
      }
    }
  }

  #receive(): void {
    for (const client of this.#clients) {
      for (const { id, order } of client.arrived()) {
        if (order === undefined) this.#queue = this.#queue.filter((entry) => entry.id !== id || entry.client !== client)
        else this.#take({ client, id, order })
      }
    }
  }

  #take(entry: Entry): void {
    const { order } = entry
    const isWithin = "transaction" in order && order.kind !== "begin"
    if (!isWithin) {
      if (order.kind === "close" && this.#open?.client === entry.client) this.#abandon()
      this.#queue.push(entry)
    } else if (this.#open?.client === entry.client && this.#open.transaction === order.transaction) this.#open.orders.push(entry)
    else {
      // The thread that began it has died, and a new one is here.
      const fault = { message: "the transaction was lost with its connection", code: lostCode }
      answer(entry, order.kind === "rollback" ? { value: [] } : { fault })
    }
  }

  /** One order that shares nothing. */
  #carryOut(entry: Entry): void {
    const { client, order } = entry
    if (order.kind !== "close")
      return answer(
        entry,
        this.#attempt(() => this.#valueOf(client, order))
      )
    this.#clients.delete(client)
    if (this.#clients.size === 0) this.#disconnect()
    answer(entry, { value: [] })
    client.closed()
  }

  #valueOf(client: WriterClient, order: Exclude<Order, { readonly kind: "close" }>): unknown {
    if (isTask(order)) {
      if (order.kind === "procedure") throw new Error("a procedure outside of a transaction")
      return this.#patiently((connection) => connection.rows(order.text, order.values))
    }
    if (order.kind === "begin") {
      this.#begin()
      this.#open = { client, transaction: order.transaction, orders: [] }
      return []
    }
    const connection = this.#connected()
    if (order.kind === "within") {
      // A full disk, for example, has ended it: what follows must not be committed by itself.
      if (!connection.database.isTransaction)
        throw Object.assign(new Error("an earlier error has ended the transaction"), { code: lostCode })
      return connection.rows(order.text, order.values)
    }
    this.#giveBack()
    if (order.kind === "commit") connection.commit()
    else connection.rollback()
    return []
  }

  /** Undoes the open transaction, whose client is going. */
  #abandon(): void {
    this.#connection?.rollback()
    this.#giveBack()
  }

  /** The open transaction ends; what the client still ordered in it is answered as lost. */
  #giveBack(): void {
    const rest = this.#open?.orders ?? []
    this.#open = undefined
    for (const entry of rest) this.#take(entry)
  }

  /** The tasks at the head of the queue, and those that arrive meanwhile, in one transaction. */
  #runGroup(): void {
    const next = (): Entry<Task> | undefined => {
      if (this.#queue.length === 0) this.#receive()
      const [first] = this.#queue
      if (first === undefined || !mayShare(first.order)) return undefined
      this.#queue.shift()
      return { ...first, order: first.order }
    }
    const outcome = this.#attempt(() => this.#grouped(next))
    if ("fault" in outcome) {
      const refused: Array<readonly [Entry, Outcome]> = []
      for (let entry = next(); entry !== undefined; entry = next()) refused.push([entry, outcome])
      return answerAll(refused)
    }
    const outcomes = outcome.value as ReadonlyArray<readonly [Entry, Outcome]>
    if (outcomes.some(([, ended]) => "fault" in ended && isBroken(errorOf(ended.fault)))) this.#disconnect()
    answerAll(outcomes)
  }

  #grouped(next: () => Entry<Task> | undefined): ReadonlyArray<readonly [Entry<Task>, Outcome]> {
    this.#begin()
    return runGroup(this.#connected(), this.#procedures, next, (entry) => this.#alone(entry))
  }

  #alone(entry: Entry<Task>): Outcome {
    const rest = [entry]
    const ended = this.#attempt(() => {
      this.#begin()
      return runGroup(
        this.#connected(),
        this.#procedures,
        () => rest.shift(),
        (one) => this.#alone(one)
      )
    })
    if ("fault" in ended) return ended
    const [[, outcome] = [entry, { fault: { message: "a task without an outcome" } }]] = ended.value as ReadonlyArray<[Entry, Outcome]>
    return outcome
  }

  #attempt(work: () => unknown): Outcome {
    try {
      return { value: work() }
    } catch (cause) {
      if (isBroken(cause)) this.#disconnect()
      return { fault: faultOf(cause) }
    }
  }

  /** The next order gets a new connection. */
  #disconnect(): void {
    const connection = this.#connection
    this.#connection = undefined
    connection?.rollback()
    try {
      connection?.close()
    } catch {
      // A connection that cannot even be closed is left behind.
    }
    this.#giveBack()
  }

  /** Begins a transaction, with the lock that it needs. */
  #begin(): void {
    this.#patiently((connection) => connection.rows(begin, []))
    this.#patience.hadTheLock()
  }

  #connected(): SqliteConnection {
    this.#connection ??= new SqliteConnection(this.#Database, this.#settings.filename)
    return this.#connection
  }

  /** Tries again while another process has the lock; orders may be taken back meanwhile. */
  #patiently<A>(work: (connection: SqliteConnection) => A): A {
    for (let tries = 0; ; tries += 1) {
      try {
        const done = this.#try(work)
        if (tries > 0) this.#patience.hadTheLock()
        return done
      } catch (cause) {
        if (sqliteCodeOf(cause) !== sqliteCodes.busy || this.#patience.isOver(performance.now())) throw cause
      }
      sleep(pauseMs(tries))
      this.#receive()
    }
  }

  #try<A>(work: (connection: SqliteConnection) => A): A {
    if (this.#connection !== undefined) return work(this.#connection)
    const connection = this.#connected()
    try {
      connection.exec(writingSettings(this.#settings.filename))
    } catch (cause) {
      this.#connection = undefined
      connection.close()
      throw cause
    }
    return work(connection)
  }
}

const answer = (entry: Entry, outcome: Outcome): void => entry.client.answer([[entry.id, outcome]])

/** One message for each client. */
const answerAll = (outcomes: ReadonlyArray<readonly [Entry, Outcome]>): void => {
  const ofClients = new Map<WriterClient, Array<readonly [number, Outcome]>>()
  for (const [{ client, id }, outcome] of outcomes) {
    const answers = ofClients.get(client)
    if (answers === undefined) ofClients.set(client, [[id, outcome]])
    else answers.push([id, outcome])
  }
  for (const [client, answers] of ofClients) client.answer(answers)
}
