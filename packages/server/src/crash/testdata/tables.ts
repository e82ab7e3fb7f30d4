/** Reads the tables of a site's database of either kind, without a connection that the servers could notice. */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Redacted } from "effect"
import { layerDatabase, sqliteFileOf } from "../../service/stores.ts"

/** A row as the driver returns it: PostgreSQL's large integers are text. */
export type Row = Readonly<Record<string, unknown>>

/** Returns the rows of a query. */
export type Read = (query: string) => Promise<ReadonlyArray<Row>>

interface SqliteModule {
  readonly DatabaseSync: new (filename: string) => {
    readonly prepare: (sql: string) => { readonly all: () => ReadonlyArray<unknown> }
    readonly close: () => void
  }
}

const loadSqlite = async (): Promise<SqliteModule> => {
  const builtin: unknown = process.getBuiltinModule("node:sqlite")
  return (builtin as SqliteModule | undefined) ?? (await import("@photostructure/sqlite"))
}

/**
 * Reads a copy of the file and its log. To open the file itself would keep the next server from seeing that it is
 * alone: on Node 20 the driver lets go of a closed file only when its statements have been collected.
 */
const readSqlite = async <A>(filename: string, work: (read: Read) => Promise<A>): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "sibyl-copy-"))
  try {
    const copy = join(folder, "copy.sqlite")
    for (const end of ["", "-wal"]) if (existsSync(filename + end)) copyFileSync(filename + end, copy + end)
    const { DatabaseSync } = await loadSqlite()
    const database = new DatabaseSync(copy)
    const result = await work((query) => Promise.resolve(database.prepare(query).all() as ReadonlyArray<Row>))
    database.close()
    return result
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const readPostgres = <A>(address: Redacted.Redacted, work: (read: Read) => Promise<A>): Promise<A> =>
  Effect.flatMap(SqlClient, (sql) => Effect.promise(() => work((query) => Effect.runPromise(sql.unsafe<Row>(query))))).pipe(
    Effect.provide(layerDatabase({ address, connections: 2 })),
    Effect.runPromise
  )

/** Reads a database while no server writes. */
export const readTables = <A>(database: string, work: (read: Read) => Promise<A>): Promise<A> => {
  const address = Redacted.make(database)
  const filename = sqliteFileOf(address)
  return filename === undefined ? readPostgres(address, work) : readSqlite(filename, work)
}
