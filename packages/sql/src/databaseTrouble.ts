/** What went wrong with a database: two transactions in each other's way, the database out of reach, or a statement. */
import { SqlError } from "@effect/sql/SqlError"
import { Cause } from "effect"

/**
 * `conflict`: undone in favour of another transaction, and right when done again. `unreachable`: the connection or the
 * whole database is gone or busy, whatever was asked of it. `refused`: it was this statement that could not be.
 */
export type DatabaseTrouble = "conflict" | "unreachable" | "refused"

/** Serialization failure and deadlock (PostgreSQL, appendix A: error codes). */
const conflictCodes: ReadonlySet<string> = new Set(["40001", "40P01"])

/** Codes of a lost connection, of a server that starts, stops or has no connection left, and of the network. */
const unreachableCode =
  /^(?:08...|57P0[1-5]|53300|ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/

/** PostgreSQL's client has no codes for what it finds out itself. */
const unreachableText =
  /Connection terminated|connection error|not queryable|Client was closed|timeout exceeded when trying to connect/i

/** SQLite's primary result codes BUSY, LOCKED, IOERR, FULL and CANTOPEN (sqlite.org/rescode.html). */
const unreachableSqlite: ReadonlySet<number> = new Set([5, 6, 10, 13, 14])
const primaryCodeMask = 0xff

const isUnreachable = (fault: { readonly code?: unknown; readonly errcode?: unknown }, message: string): boolean =>
  (typeof fault.code === "string" && unreachableCode.test(fault.code)) ||
  (typeof fault.errcode === "number" && unreachableSqlite.has(fault.errcode & primaryCodeMask)) ||
  unreachableText.test(message)

/** Which trouble an error of the database tells of. */
export const troubleOf = ({ cause, message }: SqlError): DatabaseTrouble => {
  if (!(cause instanceof Error)) return unreachableText.test(message) ? "unreachable" : "refused"
  const fault: Error & { readonly code?: unknown; readonly errcode?: unknown } = cause
  if (typeof fault.code === "string" && conflictCodes.has(fault.code)) return "conflict"
  return isUnreachable(fault, fault.message) ? "unreachable" : "refused"
}

/**
 * The trouble that a cause tells of, if it is the database's: an error or, as `@effect/sql` reports those of COMMIT and
 * ROLLBACK, a defect. Where a rollback failed beside the statement before it, the connection is the trouble.
 */
export const troubleIn = (cause: Cause.Cause<unknown>): DatabaseTrouble | undefined => {
  const errors = [...Cause.failures(cause), ...Cause.defects(cause)].filter((error) => error instanceof SqlError)
  const troubles = errors.map(troubleOf)
  if (troubles.includes("unreachable")) return "unreachable"
  return troubles.includes("conflict") ? "conflict" : troubles[0]
}
