/** API keys as an operator issues and revokes them. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import {
  apiKeyEntropyBytes,
  checkedNewKey,
  checkedRotation,
  Entropy,
  type InvalidSetting,
  type IssuedKey,
  KeyEnded,
  KeyNotFound,
  type KeyRecord,
  Keys,
  keyStateAt,
  type MadeApiKey,
  makeApiKey,
  Network,
  type NewKey,
  type ProjectNotFound,
  rotatedExpiry,
  type Rotation
} from "@sibyl/core"
import { Clock, Effect, Layer, Redacted } from "effect"
import { readable, refusable } from "../database/refusable.ts"
import { keysOf, lockedKey } from "./storedKey.ts"
import { existingProject } from "./storedProject.ts"

const insertKey = (
  sql: SqlClient,
  { apiKeyId, hash, key }: MadeApiKey,
  fields: Pick<KeyRecord, "projectId" | "name" | "createdAtMs" | "expiresAtMs">
): Effect.Effect<IssuedKey, SqlError> =>
  Effect.as(
    sql`
      INSERT INTO api_keys (api_key_id, project_id, name, hash, created_at_ms, expires_at_ms)
      VALUES (${apiKeyId}, ${fields.projectId}, ${fields.name}, ${hash}, ${fields.createdAtMs}, ${fields.expiresAtMs})`,
    { apiKeyId, key: Redacted.make(key) }
  )

const issue = (
  sql: SqlClient,
  made: MadeApiKey,
  projectId: string,
  wanted: NewKey
): Effect.Effect<IssuedKey, SqlError | InvalidSetting | ProjectNotFound> =>
  Effect.gen(function* () {
    const createdAtMs = yield* Clock.currentTimeMillis
    yield* existingProject(sql, projectId)
    const fields = yield* checkedNewKey(wanted, createdAtMs)
    return yield* insertKey(sql, made, { projectId, createdAtMs, ...fields })
  })

const revoke = (sql: SqlClient, apiKeyId: string): Effect.Effect<boolean, SqlError | KeyNotFound> =>
  Effect.gen(function* () {
    const changed = yield* sql`
      UPDATE api_keys SET revoked_at_ms = ${yield* Clock.currentTimeMillis}
      WHERE api_key_id = ${apiKeyId} AND revoked_at_ms IS NULL RETURNING api_key_id`
    if (changed.length > 0) return true
    const known = yield* sql`SELECT api_key_id FROM api_keys WHERE api_key_id = ${apiKeyId}`
    return known.length > 0 ? false : yield* new KeyNotFound({ apiKeyId })
  })

const rotate = (
  sql: SqlClient,
  made: MadeApiKey,
  apiKeyId: string,
  rotation: Rotation
): Effect.Effect<IssuedKey, SqlError | InvalidSetting | KeyNotFound | KeyEnded> =>
  Effect.gen(function* () {
    const old = yield* lockedKey(sql, apiKeyId)
    if (old === undefined) return yield* new KeyNotFound({ apiKeyId })
    const nowMs = yield* Clock.currentTimeMillis
    const state = keyStateAt(old, nowMs)
    if (state !== "active") return yield* new KeyEnded({ apiKeyId, state })
    const { expiresAtMs, name, overlapMs } = yield* checkedRotation(rotation, old.name, nowMs)
    yield* sql`
      UPDATE api_keys SET expires_at_ms = ${rotatedExpiry(old.expiresAtMs, overlapMs, nowMs)}
      WHERE api_key_id = ${apiKeyId}`
    return yield* insertKey(sql, made, { projectId: old.projectId, name, createdAtMs: nowMs, expiresAtMs })
  })

const list = (sql: SqlClient, projectId: string) =>
  Effect.gen(function* () {
    yield* existingProject(sql, projectId)
    return yield* keysOf(sql, projectId)
  })

/** The keys of the network. */
export const layerSqlKeys: Layer.Layer<Keys, never, SqlClient | Entropy | Network> = Layer.effect(
  Keys,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const entropy = yield* Entropy
    const network = yield* Network
    const make = Effect.map(entropy.bytes(apiKeyEntropyBytes), (bytes) => makeApiKey(network.name, bytes))
    return {
      issue: (projectId, wanted = {}) =>
        Effect.flatMap(make, (made) => refusable(sql, "issuing a key", issue(sql, made, projectId, wanted))),
      revoke: (apiKeyId) => refusable(sql, "revoking a key", revoke(sql, apiKeyId)),
      rotate: (apiKeyId, rotation) =>
        Effect.flatMap(make, (made) => refusable(sql, "rotating a key", rotate(sql, made, apiKeyId, rotation))),
      list: (projectId) => readable("listing keys", list(sql, projectId))
    }
  })
)
