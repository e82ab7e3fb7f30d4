/** The thirteenth migration: the times in which each signing key signs. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { columnTypes } from "./columnTypes.ts"

/**
 * Creates the table of the public keys. Their secrets stay where they were, in `signing_keys`, which a backup may leave out. The key of an
 * older version gets its row when the keys are first asked for, because no database can compute a public key.
 */
export const m0013SigningKeyTimes: Effect.Effect<void, SqlError, SqlClient> = Effect.flatMap(SqlClient, (sql) => {
  const { integer, strict } = columnTypes(sql)
  return sql`CREATE TABLE signing_key_times (
    public_key TEXT PRIMARY KEY NOT NULL,
    announced_at_ms ${integer} NOT NULL,
    active_from_ms ${integer},
    retired_at_ms ${integer},
    valid_until_ms ${integer}
  ) ${strict}`.unprepared
})
