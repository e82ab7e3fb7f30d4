/** Which PostgreSQL database this is: a copy of it, which has the same projects and feeds, is another one. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { troubleOf } from "./databaseTrouble.ts"
import { orSqlDefect } from "./sqlDefect.ts"

interface Identity {
  readonly server: string
  readonly database: number | string
}

const identityOf = (sql: SqlClient) =>
  sql<Identity>`SELECT system_identifier AS server, oid AS database FROM pg_control_system(), pg_database WHERE datname = current_database()`

/** A server that does not tell its identity has none. */
const untold = (error: SqlError): Effect.Effect<ReadonlyArray<Identity>, SqlError> =>
  troubleOf(error) === "refused" ? Effect.succeed([]) : Effect.fail(error)

/**
 * The server's system identifier, which its replicas share, and the number of the database on it. Undefined for SQLite, whose file is used
 * on one machine.
 */
export const realmOfDatabase = (sql: SqlClient): Effect.Effect<string | undefined> =>
  sql
    .onDialectOrElse({ pg: () => Effect.catchAll(identityOf(sql), untold), orElse: () => Effect.succeed<ReadonlyArray<Identity>>([]) })
    .pipe(
      Effect.map(([found]) => (found === undefined ? undefined : `${BigInt(found.server).toString(36)}-${found.database}`)),
      orSqlDefect("asking which database this is")
    )
