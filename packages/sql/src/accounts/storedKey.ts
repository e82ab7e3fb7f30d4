/** Keys as they are stored, without their hashes. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { KeyRecord } from "@sibyl/core"
import { Effect } from "effect"
import { forUpdate } from "../database/transaction.ts"

interface KeyRow {
  readonly api_key_id: string
  readonly project_id: string
  readonly name: string | null
  readonly created_at_ms: number | string
  readonly expires_at_ms: number | string | null
  readonly revoked_at_ms: number | string | null
  readonly last_used_at_ms: number | string | null
}

/** A moment of a column that may be empty; PostgreSQL gives 64-bit integers as texts. */
export const momentOf = (value: number | string | null): number | null => (value === null ? null : Number(value))

const recordOf = (row: KeyRow): KeyRecord => ({
  apiKeyId: row.api_key_id,
  projectId: row.project_id,
  name: row.name,
  createdAtMs: Number(row.created_at_ms),
  expiresAtMs: momentOf(row.expires_at_ms),
  revokedAtMs: momentOf(row.revoked_at_ms),
  lastUsedAtMs: momentOf(row.last_used_at_ms)
})

const columns = (sql: SqlClient) =>
  sql.literal("api_key_id, project_id, name, created_at_ms, expires_at_ms, revoked_at_ms, last_used_at_ms")

/** Every key that a project ever had, oldest first. */
export const keysOf = (sql: SqlClient, projectId: string): Effect.Effect<ReadonlyArray<KeyRecord>, SqlError> =>
  Effect.map(sql<KeyRow>`SELECT ${columns(sql)} FROM api_keys WHERE project_id = ${projectId} ORDER BY created_at_ms, api_key_id`, (rows) =>
    rows.map(recordOf)
  )

/** A key that nobody else changes until the transaction ends. */
export const lockedKey = (sql: SqlClient, apiKeyId: string): Effect.Effect<KeyRecord | undefined, SqlError> =>
  Effect.map(sql<KeyRow>`SELECT ${columns(sql)} FROM api_keys WHERE api_key_id = ${apiKeyId} ${forUpdate(sql)}`, ([row]) =>
    row === undefined ? undefined : recordOf(row)
  )
