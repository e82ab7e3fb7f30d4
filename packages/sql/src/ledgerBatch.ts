/** Many changes of credits in one durable transaction, each with its own outcome. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { StoreDefect } from "@sibyl/core"
import { Effect, Exit } from "effect"
import type { Book } from "./book.ts"
import { closeBooks } from "./closeBooks.ts"
import { troubleIn } from "./databaseTrouble.ts"
import { applyOperations, type LedgerOperation, type LedgerOutcome, type TimedOperation } from "./ledgerOperation.ts"
import { openBooks, type BooksWish } from "./openBooks.ts"
import { orSqlDefect } from "./sqlDefect.ts"
import { repeatedTransaction } from "./transaction.ts"

/** An operation that waits for its transaction, which asks the clock of its caller for the time. */
export interface WaitingOperation {
  readonly operation: LedgerOperation
  readonly nowMs: () => number
}

/** What has to be read for the operations; of holds that are to be taken only when they `mayBeTaken` already. */
const wishOf = (operations: ReadonlyArray<TimedOperation>, mayBeTaken: boolean): BooksWish => {
  const projectIds = new Set<string>()
  const holdIds = new Set<string>()
  const reportIds = new Set<string>()
  const periodsMs = new Set<number>()
  const atMs = new Set<number>()
  let leaseEndMs = Number.NEGATIVE_INFINITY
  for (const { nowMs, operation } of operations) {
    projectIds.add(operation.projectId)
    atMs.add(nowMs)
    leaseEndMs = Math.max(leaseEndMs, operation.kind === "abandon" ? Number.MAX_SAFE_INTEGER : nowMs)
    if ("hold" in operation && (mayBeTaken || operation.kind !== "hold")) holdIds.add(operation.hold.holdId)
    if (operation.kind === "settle") reportIds.add(operation.report.id)
    if (operation.kind === "hold" && operation.usageLimit !== null) periodsMs.add(operation.usageLimit.periodMs)
  }
  return {
    projectIds: [...projectIds],
    holdIds: [...holdIds],
    reportIds: [...reportIds],
    periodsMs: [...periodsMs],
    atMs: [...atMs],
    leaseEndMs
  }
}

const placesByProject = (operations: ReadonlyArray<TimedOperation>): ReadonlyMap<string, ReadonlyArray<number>> => {
  const places = new Map<string, Array<number>>()
  for (const [at, { operation }] of operations.entries()) {
    const known = places.get(operation.projectId)
    if (known === undefined) places.set(operation.projectId, [at])
    else known.push(at)
  }
  return places
}

const noProject = (projectId: string): LedgerOutcome =>
  Exit.die(new StoreDefect(`project ${projectId} does not exist`))

/** Does the operations in the caller's transaction, those of a project in their order. */
export const performOperations = (
  sql: SqlClient,
  operations: ReadonlyArray<TimedOperation>,
  mayBeTaken = false
): Effect.Effect<ReadonlyArray<LedgerOutcome>, SqlError> =>
  Effect.gen(function* () {
    const books = yield* openBooks(sql, wishOf(operations, mayBeTaken))
    const outcomes: Array<LedgerOutcome> = []
    const closing: Array<Book> = []
    for (const [projectId, places] of placesByProject(operations)) {
      const book = books.get(projectId)
      if (book === undefined) {
        for (const at of places) outcomes[at] = noProject(projectId)
        continue
      }
      const applied = applyOperations(book, places.flatMap((at) => operations[at] ?? []))
      for (const [nth, outcome] of applied.outcomes.entries()) outcomes[places[nth] ?? nth] = outcome
      closing.push(applied.book)
    }
    yield* closeBooks(sql, closing)
    return outcomes
  })

const commit = (
  sql: SqlClient,
  waiting: ReadonlyArray<WaitingOperation>
): Effect.Effect<ReadonlyArray<LedgerOutcome>, SqlError> => {
  let tries = 0
  const body = Effect.suspend(() => {
    tries += 1
    const timed = waiting.map(({ nowMs, operation }) => ({ operation, nowMs: nowMs() }))
    // The commit of a try before may have happened unheard.
    return performOperations(sql, timed, tries > 1)
  })
  return repeatedTransaction(sql, body, true)
}

const doingOf: Readonly<Record<LedgerOperation["kind"], string>> = {
  grant: "granting credits",
  hold: "taking a hold",
  settle: "settling a hold",
  renew: "renewing a hold",
  void: "voiding a hold",
  tidy: "returning lapsed holds",
  abandon: "returning orphaned holds"
}

const commitOne = (sql: SqlClient, waiting: WaitingOperation): Effect.Effect<LedgerOutcome> =>
  commit(sql, [waiting]).pipe(
    orSqlDefect(doingOf[waiting.operation.kind]),
    Effect.map(([outcome]) => outcome ?? noProject(waiting.operation.projectId)),
    Effect.catchAllCause((cause) => Effect.succeed(Exit.failCause(cause)))
  )

/**
 * Does the operations in one transaction. When it fails, and not because the database is out of reach, each is done in
 * one of its own, so that only the guilty one dies. Whoever gets an outcome of success has it on disk.
 */
export const commitOperations = (
  sql: SqlClient,
  waiting: ReadonlyArray<WaitingOperation>
): Effect.Effect<ReadonlyArray<LedgerOutcome>> => {
  const [only, ...others] = waiting
  if (only === undefined) return Effect.succeed([])
  if (others.length === 0) return Effect.map(commitOne(sql, only), (outcome) => [outcome])
  return Effect.catchAllCause(commit(sql, waiting), (cause) =>
    troubleIn(cause) === "unreachable"
      ? Effect.map(Effect.exit(orSqlDefect("changing credits")(Effect.failCause(cause))), (exit) =>
          waiting.map(() => exit)
        )
      : Effect.forEach(waiting, (one) => commitOne(sql, one))
  )
}
