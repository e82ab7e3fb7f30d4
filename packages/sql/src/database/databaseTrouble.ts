/** What went wrong with a database: conflicting transactions, the database out of reach, or a refused statement. */
import { SqlError } from "@effect/sql/SqlError"
import { Cause } from "effect"
import { sqliteCodeOf, sqliteCodes } from "./resultCode.ts"

/**
 * `conflict`: undone in favour of another transaction, and right when done again. `unreachable`: the connection or the
 * whole database is gone or busy, whatever was asked of it. `refused`: it was this statement that could not be.
 */
export type DatabaseTrouble = "conflict" | "unreachable" | "refused"

/** Serialization failure and deadlock (PostgreSQL, appendix A: error codes). */
const conflictCodes: ReadonlySet<string> = new Set(["40001", "40P01"])

/**
 * Codes of a lost connection, of a server that starts, stops, is a replica for now or has no connection, room or disk
 * left, and of the network.
 */
const unreachableCode =
  /^(?:08...|25006|53...|57P0[1-5]|58...|ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/

/** PostgreSQL's client has no codes for what it finds out itself. */
const unreachableText =
  /Connection terminated|Connection timed out|connection error|not queryable|Client was closed|timeout e(?:xceeded|xpired)/i

const unreachableSqlite: ReadonlySet<number> = new Set(Object.values(sqliteCodes))

const isUnreachable = (fault: Error & { readonly code?: unknown }): boolean =>
  (typeof fault.code === "string" && unreachableCode.test(fault.code)) ||
  unreachableSqlite.has(sqliteCodeOf(fault) ?? 0) ||
  unreachableText.test(fault.message)

/** Which trouble an error of the database tells of. */
export const troubleOf = ({ cause, message }: SqlError): DatabaseTrouble => {
  if (!(cause instanceof Error)) return unreachableText.test(message) ? "unreachable" : "refused"
  const fault: Error & { readonly code?: unknown } = cause
  if (typeof fault.code === "string" && conflictCodes.has(fault.code)) return "conflict"
  return isUnreachable(fault) ? "unreachable" : "refused"
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
