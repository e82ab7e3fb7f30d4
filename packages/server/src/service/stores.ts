/** The database of a deployment: one SQLite file or one PostgreSQL, by its address. */
import type { SqlClient } from "@effect/sql/SqlClient"
import { Entropy, Freshness, Network, type NetworkIdentity } from "@sibyl/core"
import {
  type ConnectWriter,
  layerPostgres,
  layerPostgresAsItIs,
  layerSqlite,
  layerSqliteAsItIs,
  layerSqlStores,
  type MeantDatabase,
  type SqlStores
} from "@sibyl/sql"
import { Layer, Redacted } from "effect"

/** The file of an address that means SQLite: `sqlite:PATH`, or a path; `undefined` for a PostgreSQL address. */
export const sqliteFileOf = (address: Redacted.Redacted): string | undefined => {
  const text = Redacted.value(address)
  if (/^postgres(?:ql)?:\/\//.test(text)) return undefined
  return text.startsWith("sqlite:") ? text.slice("sqlite:".length) : text
}

/** Where the database is, and how many connections this process may have to a PostgreSQL. */
export interface DatabaseAddress extends MeantDatabase {
  readonly address: Redacted.Redacted
  readonly connections?: number | undefined
  /** The way to the one that writes to a SQLite file, if another process owns it. */
  readonly connectWriter?: ConnectWriter | undefined
}

/**
 * A client of the database, with its schema brought up to date, and its `Freshness`, which PostgreSQL could only answer
 * with a query. Failures are `SqlDefect`s.
 */
export const layerDatabase = ({ address, connections, connectWriter, ...meant }: DatabaseAddress): Layer.Layer<SqlClient | Freshness> => {
  const filename = sqliteFileOf(address)
  if (filename !== undefined) return layerSqlite({ filename, connectWriter, ...meant })
  const size = connections === undefined ? {} : { maxConnections: connections }
  return Layer.merge(layerPostgres({ url: address, ...meant, ...size }), Freshness.layerUnknown)
}

/** A client of the database that neither makes nor migrates it. Failures are `SqlDefect`s. */
export const layerDatabaseAsItIs = (address: Redacted.Redacted): Layer.Layer<SqlClient> => {
  const filename = sqliteFileOf(address)
  return filename === undefined ? layerPostgresAsItIs({ url: address, maxConnections: 2 }) : layerSqliteAsItIs({ filename })
}

/** The stores of one network over their database. */
export const layerStores = (database: DatabaseAddress, network: NetworkIdentity): Layer.Layer<SqlStores> =>
  layerSqlStores.pipe(
    Layer.provide(layerDatabase({ ...database, network: network.name })),
    Layer.provide(Layer.merge(Entropy.layer, Network.layer(network)))
  )
