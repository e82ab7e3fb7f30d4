/** Every project's credits: an append-only journal, the accounts that it adds up to, and the open holds. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import {
  afterHold,
  type Balance,
  chargedReport,
  Entropy,
  type ExecutionReport,
  type Hold,
  holdRefusal,
  type HoldRefusal,
  Ledger,
  postedOf,
  type Project,
  StoreDefect,
  uuidOf
} from "@sibyl/core"
import { Clock, Effect, Either, Layer } from "effect"
import { type Book, closeBook, enter } from "./book.ts"
import { openBookAt } from "./expiredHolds.ts"
import { findHold, insertHold, resolveHold, type StoredHold } from "./holds.ts"
import { appendReport } from "./sqlResultStore.ts"
import { transaction } from "./transaction.ts"
import { readUsage, usagePeriodAt } from "./usagePeriods.ts"

const balanceOf = (sql: SqlClient, book: Book, limit: { readonly periodMs: number } | null, nowMs: number) =>
  Effect.map(
    readUsage(sql, book.projectId, usagePeriodAt(limit, nowMs)),
    (periodUsed): Balance => ({ ...book.account, periodUsed })
  )

const take = (
  sql: SqlClient,
  project: Project,
  hold: Hold,
  leaseMs: number
): Effect.Effect<Either.Either<Hold, HoldRefusal>, SqlError> =>
  Effect.gen(function* () {
    const { amount, holdId, projectId } = hold
    const nowMs = yield* Clock.currentTimeMillis
    const book = yield* openBookAt(sql, projectId, nowMs)
    const balance = yield* balanceOf(sql, book, project.usageLimit, nowMs)
    const refusal = holdRefusal(balance, project.usageLimit, amount, nowMs)
    if (refusal !== undefined) {
      yield* closeBook(sql, book, nowMs)
      return Either.left(refusal)
    }
    yield* insertHold(sql, hold, nowMs + leaseMs, usagePeriodAt(project.usageLimit, nowMs))
    const after = enter(book, { kind: "hold", credits: amount, holdId }, afterHold(book.account, amount))
    yield* closeBook(sql, after, nowMs)
    return Either.right(hold)
  })

/** The stored hold; that there is none is the caller's defect. */
const existingHold = (sql: SqlClient, hold: Hold): Effect.Effect<StoredHold, SqlError> =>
  Effect.flatMap(findHold(sql, hold), (stored) =>
    stored === undefined
      ? Effect.die(new StoreDefect(`hold ${hold.holdId} does not exist`))
      : Effect.succeed(stored)
  )

const post = (sql: SqlClient, book: Book, hold: StoredHold, report: ExecutionReport, nowMs: number) =>
  Effect.gen(function* () {
    if (report.projectId !== hold.projectId) {
      return yield* Effect.die(new StoreDefect(`hold ${hold.holdId} is of another project`))
    }
    const posted = postedOf(hold.amount, report.cost.total)
    const after = yield* resolveHold(sql, book, hold, "post", posted)
    yield* closeBook(sql, after, nowMs)
    yield* appendReport(sql, chargedReport(report, posted), after.lastEntry)
    return after
  })

const settle = (sql: SqlClient, hold: Hold, report: ExecutionReport): Effect.Effect<Balance, SqlError> =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const book = yield* openBookAt(sql, hold.projectId, nowMs)
    const stored = yield* existingHold(sql, hold)
    if (stored.state === "voided") {
      return yield* Effect.die(new StoreDefect(`hold ${hold.holdId} was voided, it cannot be settled`))
    }
    const repeated = Effect.as(closeBook(sql, book, nowMs), book)
    const after = yield* stored.state === "posted" ? repeated : post(sql, book, stored, report, nowMs)
    return yield* balanceOf(sql, after, stored.period, nowMs)
  })

const giveBack = (sql: SqlClient, hold: Hold): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const book = yield* openBookAt(sql, hold.projectId, nowMs)
    const stored = yield* existingHold(sql, hold)
    const after = stored.state === "held" ? yield* resolveHold(sql, book, stored, "void", 0n) : book
    yield* closeBook(sql, after, nowMs)
  })

/** The balance of a project now, read in the caller's transaction. */
export const currentBalance = (sql: SqlClient, project: Project): Effect.Effect<Balance, SqlError> =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const book = yield* openBookAt(sql, project.projectId, nowMs)
    yield* closeBook(sql, book, nowMs)
    return yield* balanceOf(sql, book, project.usageLimit, nowMs)
  })

/** The ledger. */
export const layerSqlLedger: Layer.Layer<Ledger, never, SqlClient | Entropy> = Layer.effect(
  Ledger,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const entropy = yield* Entropy
    return {
      hold: (project, amount, leaseMs) =>
        Effect.gen(function* () {
          if (amount < 0n) return yield* Effect.die(new StoreDefect(`a hold of ${amount} credits`))
          const hold = { holdId: uuidOf(yield* entropy.bytes(16)), projectId: project.projectId, amount }
          return yield* Effect.flatten(transaction(sql, "taking a hold", take(sql, project, hold, leaseMs)))
        }),
      settle: (hold, report) => transaction(sql, "settling a hold", settle(sql, hold, report)),
      void: (hold) => transaction(sql, "voiding a hold", giveBack(sql, hold)),
      balance: (project) => transaction(sql, "reading a balance", currentBalance(sql, project))
    }
  })
)
