/** The database of a deployment: one SQLite file or one PostgreSQL, by its address. */
import type { SqlClient } from "@effect/sql/SqlClient"
import { Entropy } from "@sibyl/core"
import { layerPostgres, layerSqlite, layerSqlStores, type SqlStores } from "@sibyl/sql"
import { Layer, Redacted } from "effect"

/** The file of an address that means SQLite: `sqlite:PATH`, or a path; `undefined` for a PostgreSQL address. */
export const sqliteFileOf = (address: Redacted.Redacted): string | undefined => {
  const text = Redacted.value(address)
  if (/^postgres(?:ql)?:\/\//.test(text)) return undefined
  return text.startsWith("sqlite:") ? text.slice("sqlite:".length) : text
}

/** A client of the database, its schema brought up to date. Its failures are `SqlDefect`s. */
export const layerDatabase = (address: Redacted.Redacted): Layer.Layer<SqlClient> => {
  const filename = sqliteFileOf(address)
  return filename === undefined ? layerPostgres({ url: address }) : layerSqlite({ filename })
}

/** The stores of one network over their database. */
export const layerStores = (address: Redacted.Redacted, network: string): Layer.Layer<SqlStores> =>
  layerSqlStores({ network }).pipe(Layer.provide(layerDatabase(address)), Layer.provide(Entropy.live))
