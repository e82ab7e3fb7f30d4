/** A database belongs to the network that first opened it, so that data of two networks never mixes (decision D21). */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { SqlDefect } from "./database/sqlDefect.ts"

/** Records the network of a new database; opening one of another network is a {@link SqlDefect}. */
export const claimFor = (sql: SqlClient, network: string): Effect.Effect<void, SqlError> =>
  sql`INSERT INTO service (name, value) VALUES ('network', ${network}) ON CONFLICT (name) DO NOTHING`.pipe(
    Effect.zipRight(sql<{ readonly value: string }>`SELECT value FROM service WHERE name = 'network'`),
    Effect.flatMap(([row]) =>
      row?.value === network ? Effect.void : Effect.die(new SqlDefect(`this database is of the network ${row?.value}, not of ${network}`))
    )
  )
