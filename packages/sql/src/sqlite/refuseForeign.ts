/** Keeps away from the SQLite file of another application, which a misspelled path may lead to. */
import type { SqliteConnection } from "./connection/sqliteConnection.ts"

/** A migration that was cut off may have left nothing but this. */
const maybeAlone = "migrations"

/**
 * Throws if the file has tables, and none that every database of Sibyl has. It is asked before anything is set: the kind of its journal is
 * written to a file.
 */
export const refuseForeign = (connection: SqliteConnection): void => {
  const tables = connection.rows("SELECT name FROM sqlite_master WHERE type = 'table'", []) as ReadonlyArray<{ readonly name: string }>
  const names = tables.map(({ name }) => name).filter((name) => name !== maybeAlone && !name.startsWith("sqlite_"))
  const [first] = names
  if (first === undefined || names.includes("service")) return
  throw new Error(`this is the database of another application: it has a table ${first}, and none of Sibyl`)
}
