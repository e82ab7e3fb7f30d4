/** Where the databases differ in the schema: the names of types, and whether a table has to say that its types bind. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"

/** The words of one database. */
export interface ColumnTypes {
  readonly bytes: Fragment
  /** Milliseconds since the epoch, counters: 64 bits. */
  readonly integer: Fragment
  /** Stands behind the columns of a table. */
  readonly strict: Fragment
}

/** The words of the client's database. */
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
