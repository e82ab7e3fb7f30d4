/** Many changes of credits in one durable transaction, each with its own outcome. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { DateRun, ExecutionReport, LedgerOperation, LedgerOutcome, TimedOperation } from "@sibyl/core"
import { Effect, Exit } from "effect"
import { troubleIn } from "../database/databaseTrouble.ts"
import { runProcedure } from "../database/procedure.ts"
import { orSqlDefect } from "../database/sqlDefect.ts"
import type { WrittenReport } from "../runs/writtenReport.ts"
import { writtenReportOf } from "../runs/reportBody.ts"
import { type LedgerInput, ledgerProcedure, type WrittenOperation } from "./ledgerProcedure.ts"

/** An operation that waits for its transaction, with the clock of its caller. */
export interface WaitingOperation {
  readonly operation: LedgerOperation
  readonly nowMs: () => number
}

/** Where a transaction is decided: operations for another thread are data alone. */
export type DecidedIn = "this thread" | "another thread"

const datedIn = (
  place: DecidedIn,
  report: ExecutionReport,
  written: WrittenReport,
  dated: DateRun | undefined
): DateRun<WrittenReport> | undefined => {
  if (dated === undefined || place === "another thread") return undefined
  return (timestampMs) => {
    const run = dated(timestampMs)
    if (run === undefined) return undefined
    return { answer: run.answer, report: run.report === report ? written : writtenReportOf(run.report) }
  }
}

const writtenFor =
  (place: DecidedIn) =>
  ({ nowMs, operation }: TimedOperation): WrittenOperation => {
    if (operation.kind !== "settle" && operation.kind !== "charge") return { operation, nowMs }
    const { dated, ...rest } = operation
    const report = writtenReportOf(rest.report)
    return { operation: { ...rest, report, dated: datedIn(place, rest.report, report, dated) }, nowMs }
  }

/** Applies the operations in the caller's transaction, or else in one of their own. */
export const performOperations = (
  sql: SqlClient,
  operations: ReadonlyArray<TimedOperation>
): Effect.Effect<ReadonlyArray<LedgerOutcome>, SqlError> =>
  runProcedure(sql, ledgerProcedure, () => ({ operations: operations.map(writtenFor("another thread")), mayBeTaken: false }), true)

/** Operations that arrive while a transaction waits for its locks, and join it. */
export type Joining = () => ReadonlyArray<WaitingOperation>

/** Adds those that join to `waiting`. */
const commit = (
  sql: SqlClient,
  place: DecidedIn,
  waiting: Array<WaitingOperation>,
  joining?: Joining
): Effect.Effect<ReadonlyArray<LedgerOutcome>, SqlError> => {
  let tries = 0
  const written = writtenFor(place)
  const nowOf = ({ nowMs, operation }: WaitingOperation) => written({ operation, nowMs: nowMs() })
  const inputOf = (): LedgerInput => {
    tries += 1
    // The commit of an earlier try may have happened although its acknowledgement was lost.
    const input = { operations: waiting.map(nowOf), mayBeTaken: tries > 1 }
    if (joining === undefined) return input
    const joined = () => {
      const more = joining()
      waiting.push(...more)
      return more.map(nowOf)
    }
    return { ...input, joining: joined }
  }
  return runProcedure(sql, ledgerProcedure, inputOf, true)
}

const doingOf: Readonly<Record<LedgerOperation["kind"], string>> = {
  grant: "granting credits",
  withdraw: "withdrawing credits",
  hold: "taking a hold",
  settle: "settling a hold",
  renew: "renewing a hold",
  void: "voiding a hold",
  reserve: "reserving credits",
  charge: "settling a hold",
  release: "giving back credits",
  expire: "returning lapsed holds",
  voidAll: "returning orphaned holds"
}

/** The outcome of an operation, or the defect that prevented it. */
export type CommittedOutcome = Exit.Exit<LedgerOutcome>

/**
 * Applies the operations, and those that join, in one transaction; their outcomes in this order. If it fails, and not because the database is
 * unavailable, each operation is repeated in its own transaction, so that only the faulty one fails. An outcome is durable before its
 * caller gets it.
 */
export const commitOperations = (
  sql: SqlClient,
  place: DecidedIn,
  operations: ReadonlyArray<WaitingOperation>,
  joining?: Joining
): Effect.Effect<ReadonlyArray<CommittedOutcome>> => {
  const waiting = [...operations]
  return Effect.flatMap(Effect.exit(commit(sql, place, waiting, joining)), (exit) => {
    if (Exit.isSuccess(exit)) return Effect.succeed(exit.value.map(Exit.succeed))
    const [only, ...others] = waiting
    if (only === undefined) return Effect.succeed([])
    if (others.length > 0 && troubleIn(exit.cause) !== "unreachable") {
      return Effect.map(
        Effect.forEach(waiting, (one) => commitOperations(sql, place, [one])),
        (each) => each.flat()
      )
    }
    const doing = others.length === 0 ? doingOf[only.operation.kind] : "changing credits"
    const fault = orSqlDefect(doing)(Effect.failCause(exit.cause))
    return Effect.map(Effect.exit(fault), (failure) => waiting.map(() => failure))
  })
}
