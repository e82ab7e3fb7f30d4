/** A database belongs to the network that first opened it, so that data of two networks never mixes (decision D21). */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { hasTable } from "./hasTable.ts"
import { SqlDefect } from "./sqlDefect.ts"

const find = (sql: SqlClient) => sql<{ readonly value: string }>`SELECT value FROM service WHERE name = 'network'`

const refused = (found: string, network: string) => Effect.die(new SqlDefect(`this database is of the network ${found}, not of ${network}`))

/** A database of another network is a {@link SqlDefect}, before anything of it is changed. One of none yet is any network's. */
export const refuseOtherNetwork = (sql: SqlClient, network: string): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const [row] = (yield* hasTable(sql, "service")) ? yield* find(sql) : []
    if (row !== undefined && row.value !== network) return yield* refused(row.value, network)
  })

/** Records the network of a new database; opening one of another network is a {@link SqlDefect}. */
export const claimFor = (sql: SqlClient, network: string): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    if ((yield* find(sql)).length === 0) {
      yield* sql`INSERT INTO service (name, value) VALUES ('network', ${network}) ON CONFLICT (name) DO NOTHING`
    }
    const [row] = yield* find(sql)
    if (row?.value !== network) return yield* refused(`${row?.value}`, network)
  })
