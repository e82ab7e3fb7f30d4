/** Whether the database accepts changes now. */
import { SqlClient } from "@effect/sql/SqlClient"
import { StoreCheck } from "@sibyl/core"
import { Effect, Layer } from "effect"
import { orSqlDefect } from "./database/sqlDefect.ts"

/** A change of no row: it needs the same lock and the same rights as any other change, but changes nothing. */
export const layerSqlStoreCheck: Layer.Layer<StoreCheck, never, SqlClient> = Layer.effect(
  StoreCheck,
  Effect.map(SqlClient, (sql) => ({
    check: sql`UPDATE service SET value = value WHERE name = ''`.pipe(Effect.asVoid, orSqlDefect("checking the database"))
  }))
)
