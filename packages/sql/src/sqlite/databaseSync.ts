/** The synchronous SQLite of this runtime: its own `node:sqlite`, or on older Nodes the same from a package. */
import { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"

/** A value that SQLite takes and gives. */
export type SqliteValue = null | number | bigint | string | Uint8Array

/** What we use of a prepared statement. */
export interface StatementSync {
  all(...values: ReadonlyArray<SqliteValue>): ReadonlyArray<Readonly<Record<string, SqliteValue>>>
}

/** What we use of an open database. */
export interface DatabaseSync {
  exec(sql: string): void
  prepare(sql: string): StatementSync
  close(): void
}

/** How a database is opened. */
export type DatabaseSyncClass = new (filename: string) => DatabaseSync

interface SqliteModule {
  readonly DatabaseSync: DatabaseSyncClass
}

/** A look-up by name rather than an import: no bundler and no test runner has to know the module. */
const builtin = (): SqliteModule | undefined => {
  const found: unknown = process.getBuiltinModule("node:sqlite")
  return found as SqliteModule | undefined
}

/** `node:sqlite` on Bun and on every Node that has it without a flag, else the package with its prebuilt SQLite. */
export const loadDatabaseSync: Effect.Effect<DatabaseSyncClass, SqlError> = Effect.tryPromise({
  try: async () => {
    const module: SqliteModule = builtin() ?? (await import("@photostructure/sqlite"))
    return module.DatabaseSync
  },
  catch: (cause) => new SqlError({ cause, message: "there is no SQLite for this runtime" })
})
