/** Three kinds of database errors are distinguished: retryable, database unavailable, statement refused. */
import { SqlError } from "@effect/sql/SqlError"
import { Cause } from "effect"
import { expect, it } from "vitest"
import { SqlDefect } from "./sqlDefect.ts"
import { type DatabaseTrouble, troubleIn, troubleOf } from "./databaseTrouble.ts"

const errorWith = (fields: object, message = "no"): SqlError =>
  new SqlError({ cause: Object.assign(new Error(message), fields), message: "Failed to execute statement" })

/** What comes of a certificate that is not trusted: one of the many codes of TLS. */
const withoutConnection = (code: string, what = ""): SqlError =>
  new SqlError({ cause: Object.assign(new Error("no"), { code }), message: `Failed to acquire connection${what}` })

const cases: ReadonlyArray<readonly [DatabaseTrouble, SqlError]> = [
  ["conflict", errorWith({ code: "40P01" }, "deadlock detected")],
  ["conflict", errorWith({ code: "40001" })],
  ["unreachable", errorWith({ code: "57P01" }, "terminating connection due to administrator command")],
  ["unreachable", errorWith({ code: "08006" })],
  ["unreachable", errorWith({ code: "53300" }, "sorry, too many clients already")],
  ["unreachable", errorWith({ code: "ECONNREFUSED" })],
  ["unreachable", errorWith({ code: "28P01" }, 'password authentication failed for user "sibyl"')],
  ["unreachable", errorWith({ code: "28000" }, 'role "sibyl" is not permitted to log in')],
  ["unreachable", errorWith({ code: "3D000" }, 'database "sibyl" does not exist')],
  ["unreachable", errorWith({ code: "42501" }, "permission denied for table api_keys")],
  ["unreachable", errorWith({ code: "42P01" }, 'relation "api_keys" does not exist')],
  ["unreachable", errorWith({ code: "57014" }, "canceling statement due to statement timeout")],
  ["unreachable", errorWith({ code: "55P03" }, "canceling statement due to lock timeout")],
  ["unreachable", errorWith({ code: "25P03" }, "terminating connection due to idle-in-transaction timeout")],
  ["unreachable", errorWith({}, "Connection terminated unexpectedly")],
  ["unreachable", errorWith({}, "timeout exceeded when trying to connect")],
  ["unreachable", withoutConnection("UNABLE_TO_VERIFY_LEAF_SIGNATURE")],
  ["unreachable", withoutConnection("CERT_HAS_EXPIRED", " for transaction")],
  // SQLITE_BUSY, SQLITE_FULL, and an extended code of SQLITE_IOERR.
  ["unreachable", errorWith({ code: "ERR_SQLITE_ERROR", errcode: 5 }, "database is locked")],
  ["unreachable", errorWith({ code: "ERR_SQLITE_ERROR", errcode: 13 })],
  ["unreachable", errorWith({ code: "ERR_SQLITE_ERROR", errcode: 1_034 })],
  // One driver of SQLite has no code for a statement that returns rows.
  ["unreachable", errorWith({ code: "ERR_SQLITE_ERROR" }, "database is locked")],
  ["unreachable", errorWith({ code: "ERR_SQLITE_ERROR" }, "disk I/O error")],
  ["unreachable", errorWith({ code: "25006" }, "cannot execute UPDATE in a read-only transaction")],
  ["refused", errorWith({ code: "ERR_SQLITE_ERROR" }, "database disk image is malformed")],
  ["refused", errorWith({}, "database is locked")],
  ["refused", errorWith({ code: "23505" }, "duplicate key value violates unique constraint")],
  ["refused", errorWith({ code: "ERR_SQLITE_ERROR", errcode: 1_555 }, "UNIQUE constraint failed")],
  ["refused", new SqlError({ cause: undefined, message: "no" })]
]

it.each(cases)("%s: %s", (trouble, error) => {
  expect(troubleOf(error)).toBe(trouble)
  expect(troubleIn(Cause.fail(error))).toBe(trouble)
  expect(troubleIn(Cause.die(error))).toBe(trouble)
  // A transaction within the one that failed has reported it like that.
  expect(troubleIn(Cause.die(new SqlDefect("storing", { cause: error })))).toBe(trouble)
})

it("a failed rollback after a refused statement means a broken connection, and our own defects are not database errors", () => {
  const [refused, lost] = [errorWith({ code: "23505" }), errorWith({}, "Connection terminated")]
  expect(troubleIn(Cause.parallel(Cause.fail(refused), Cause.die(lost)))).toBe("unreachable")
  expect(troubleIn(Cause.die(new Error("Connection terminated")))).toBeUndefined()
})
