/** Connections on which PostgreSQL accepts no changes are given up, because that may be so on them alone. */
import type { EventEmitter } from "node:events"
import type { Pool, PoolClient } from "pg"

/** `read_only_sql_transaction`: of a server that has become a replica, or by a `default_transaction_read_only` of when it connected. */
const readOnlyCode = "25006"

/** What the driver's client has and its types do not name: it tells of each error that the server sends. */
const connectionOf = (client: PoolClient): EventEmitter => (client as unknown as { readonly connection: EventEmitter }).connection

/**
 * Closes a connection, once it is given back, on which a change was refused as one of a read-only transaction. A connection keeps what
 * `default_transaction_read_only` was when it was made: while there is traffic it would outlive the cure.
 */
export const leaveReadOnly = (pool: Pool): void => {
  const readOnly = new WeakSet<PoolClient>()
  pool.on("connect", (client) => {
    // Before the driver, which tells whoever waits, who may give the connection back at once.
    connectionOf(client).prependListener("errorMessage", ({ code }: { readonly code?: string }) => {
      if (code === readOnlyCode) readOnly.add(client)
    })
  })
  pool.on("release", (_error, client) => {
    // The pool keeps no client that ends.
    if (readOnly.has(client)) client.end().catch(() => {})
  })
}
