/** The synchronous SQLite of this runtime: its own `node:sqlite`, or on Node before 24 the same API from a package. */

/** A value that SQLite accepts and returns. */
export type SqliteValue = null | number | bigint | string | Uint8Array

/** The parts of a prepared statement that are used. */
export interface StatementSync {
  all(...values: ReadonlyArray<SqliteValue>): ReadonlyArray<Readonly<Record<string, SqliteValue>>>
}

/** The parts of an open database that are used. */
export interface DatabaseSync {
  exec(sql: string): void
  prepare(sql: string): StatementSync
  close(): void
  /** Whether a transaction is open, also after an error that may have ended it. */
  readonly isTransaction: boolean
}

/** The constructor that opens a database. */
export type DatabaseSyncClass = new (filename: string) => DatabaseSync

interface SqliteModule {
  readonly DatabaseSync: DatabaseSyncClass
}

/** Whether a runtime of these versions has a SQLite of its own that is no experiment: Node 22 warns whoever opens a file with its own. */
export const hasOwnSqlite = ({ bun, node }: Readonly<Partial<Record<"bun" | "node", string>>>): boolean =>
  bun !== undefined || Number.parseInt(node ?? "", 10) >= 24

/** A look-up by name instead of an import, so that bundlers and test runners need not know the module. */
const builtin = (): SqliteModule | undefined => {
  if (!hasOwnSqlite(process.versions)) return undefined
  const found: unknown = process.getBuiltinModule("node:sqlite")
  return found as SqliteModule | undefined
}

/** `node:sqlite` where it is no experiment any more, else the package with its prebuilt SQLite. */
export const databaseSyncClass = async (): Promise<DatabaseSyncClass> => {
  const module: SqliteModule = builtin() ?? (await import("@photostructure/sqlite"))
  return module.DatabaseSync
}
