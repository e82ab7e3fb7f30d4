/** Where the databases differ in the schema: the names of types, and whether a table must declare that its types are enforced. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"

/** The types of one database. */
export interface ColumnTypes {
  readonly bytes: Fragment
  /** 64 bits: milliseconds since the epoch, counters. */
  readonly integer: Fragment
  /** Follows the columns of a table. */
  readonly strict: Fragment
}

/** The types of the client's database. */
export const columnTypes = (sql: SqlClient): ColumnTypes => {
  const words = (bytes: string, integer: string, strict: string): ColumnTypes => ({
    bytes: sql.literal(bytes),
    integer: sql.literal(integer),
    strict: sql.literal(strict)
  })
  return sql.onDialectOrElse({
    pg: () => words("BYTEA", "BIGINT", ""),
    orElse: () => words("BLOB", "INTEGER", "STRICT")
  })
}
