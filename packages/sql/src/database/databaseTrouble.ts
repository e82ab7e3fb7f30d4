/** Classifies database errors: conflicting transactions, an unavailable database, or a refused statement. */
import { SqlError } from "@effect/sql/SqlError"
import { Cause } from "effect"
import { sqliteCodeOf, sqliteCodes } from "./resultCode.ts"

/**
 * `conflict`: rolled back in favour of another transaction; a retry can succeed. `unreachable`: the connection or the whole database is
 * gone or busy, whatever the statement. `refused`: this statement is at fault.
 */
export type DatabaseTrouble = "conflict" | "unreachable" | "refused"

/** Serialization failure and deadlock (PostgreSQL, appendix A: error codes). */
const conflictCodes: ReadonlySet<string> = new Set(["40001", "40P01"])

/**
 * Codes of a lost connection, of a server that starts, stops, is a replica or has no connection, memory or disk left, and of the network; of
 * one that does not let us in (a password that was changed) or at a table (a right that was revoked), of a database that is gone or empty (while a backup is put in its place), and of
 * one that has ended a statement by a time limit of its own (`statement_timeout`, `lock_timeout`), which may be in time when it is less busy.
 */
const unreachableCode =
  /^(?:08...|25006|25P0[34]|28...|3D000|3F000|42501|42P01|53...|55P03|57014|57P0[1-5]|58...|ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ERR_WRITER_LOST)$/

/** The PostgreSQL client has no codes for errors that it detects itself. */
const unreachableText =
  /Connection terminated|Connection timed out|connection error|not queryable|Client was closed|timeout e(?:xceeded|xpired)/i

const unreachableSqlite: ReadonlySet<number> = new Set(Object.values(sqliteCodes))

/** No connection, so no statement is at fault, whatever was the matter: a certificate that is not trusted, a file of it that is missing. */
const withoutConnection = /^Failed to (?:acquire connection|connect)\b/

const isUnreachable = (fault: Error & { readonly code?: unknown }): boolean =>
  (typeof fault.code === "string" && unreachableCode.test(fault.code)) ||
  unreachableSqlite.has(sqliteCodeOf(fault) ?? 0) ||
  unreachableText.test(fault.message)

/** The kind of a database error. */
export const troubleOf = ({ cause, message }: SqlError): DatabaseTrouble => {
  if (withoutConnection.test(message)) return "unreachable"
  if (!(cause instanceof Error)) return unreachableText.test(message) ? "unreachable" : "refused"
  const fault: Error & { readonly code?: unknown } = cause
  if (typeof fault.code === "string" && conflictCodes.has(fault.code)) return "conflict"
  return isUnreachable(fault) ? "unreachable" : "refused"
}

/** The error itself, or the one that a transaction within this one has already turned into a defect of ours. */
const databaseErrorIn = (error: unknown): SqlError | undefined => {
  if (error instanceof SqlError) return error
  return error instanceof Error && error.cause instanceof SqlError ? error.cause : undefined
}

/**
 * The kind of the database error in a cause, if there is one: a failure or, as `@effect/sql` reports those of COMMIT and ROLLBACK, a
 * defect. If a rollback failed after its statement, the connection is at fault.
 */
export const troubleIn = (cause: Cause.Cause<unknown>): DatabaseTrouble | undefined => {
  const errors = [...Cause.failures(cause), ...Cause.defects(cause)].map(databaseErrorIn).filter((error) => error !== undefined)
  const troubles = errors.map(troubleOf)
  if (troubles.includes("unreachable")) return "unreachable"
  return troubles.includes("conflict") ? "conflict" : troubles[0]
}
