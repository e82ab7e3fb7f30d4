/** The registered data proxies. */
import { SqlClient } from "@effect/sql/SqlClient"
import { checkedProxy, DataProxies, type DataProxy } from "@sibyl/core"
import { Clock, Effect, Layer, Option } from "effect"
import { orSqlDefect } from "../database/sqlDefect.ts"

interface ProxyRow {
  readonly public_key: string
  readonly name: string
  readonly fee_credits: string
  readonly active: number | string
  readonly registered_at_ms: number | string
}

const proxyOf = (row: ProxyRow): DataProxy => ({
  publicKey: row.public_key,
  name: row.name,
  feeCredits: BigInt(row.fee_credits),
  active: Number(row.active) === 1,
  registeredAtMs: Number(row.registered_at_ms)
})

/** The data proxies. */
export const layerSqlDataProxies: Layer.Layer<DataProxies, never, SqlClient> = Layer.effect(
  DataProxies,
  Effect.map(SqlClient, (sql) => ({
    find: (publicKey) =>
      sql<ProxyRow>`
        SELECT public_key, name, fee_credits, active, registered_at_ms FROM data_proxies
        WHERE public_key = ${publicKey} AND active = 1`.pipe(
        Effect.map(([row]) => Option.map(Option.fromNullable(row), proxyOf)),
        orSqlDefect("looking for a data proxy")
      ),
    register: (input) =>
      Effect.gen(function* () {
        const { active, feeCredits, name, publicKey } = yield* checkedProxy(input)
        const nowMs = yield* Clock.currentTimeMillis
        const rows = yield* sql<ProxyRow>`
          INSERT INTO data_proxies (public_key, name, fee_credits, active, registered_at_ms)
          VALUES (${publicKey}, ${name}, ${`${feeCredits}`}, ${active ? 1 : 0}, ${nowMs})
          ON CONFLICT (public_key) DO UPDATE
          SET name = excluded.name, fee_credits = excluded.fee_credits, active = excluded.active
          RETURNING public_key, name, fee_credits, active, registered_at_ms`.pipe(orSqlDefect("registering a data proxy"))
        const [row] = rows
        return row === undefined ? yield* Effect.dieMessage("a written data proxy is not there") : proxyOf(row)
      }),
    remove: (publicKey) =>
      sql`DELETE FROM data_proxies WHERE public_key = ${publicKey} RETURNING public_key`.pipe(
        Effect.map((rows) => rows.length > 0),
        orSqlDefect("removing a data proxy")
      ),
    list: sql<ProxyRow>`
      SELECT public_key, name, fee_credits, active, registered_at_ms FROM data_proxies
      ORDER BY registered_at_ms, public_key`.pipe(
      Effect.map((rows) => rows.map(proxyOf)),
      orSqlDefect("listing the data proxies")
    )
  }))
)
