/** Lets the leases of dead processes' holds end without waiting. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Redacted } from "effect"
import { layerDatabase, layerStores } from "../../service/stores.ts"

/** Ends the leases of all holds in the database, by whose clock they go, and opens its stores once, which returns those holds. */
export const expireLeases = (database: string): Promise<void> => {
  const address = { address: Redacted.make(database) }
  const ended = Effect.flatMap(SqlClient, (sql) => sql`UPDATE holds SET lease_end_ms = 0 WHERE state = 'held'`)
  const opened = Effect.provide(Effect.void, layerStores(address, { name: "testnet", chainId: "sibyl-1-test" }))
  return Effect.runPromise(Effect.zipRight(Effect.provide(ended, layerDatabase(address)), opened))
}
