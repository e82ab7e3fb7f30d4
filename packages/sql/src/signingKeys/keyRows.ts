/** The rows of signing keys: reading all of them, replacing them, and the secrets beside them. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { ListedKey } from "@sibyl/core"
import { publicKeyOfSecret } from "@sibyl/core/internal"
import { Effect } from "effect"

type Stored = number | string | null

interface KeyRow {
  readonly public_key: string
  readonly announced_at_ms: Stored
  readonly active_from_ms: Stored
  readonly retired_at_ms: Stored
  readonly valid_until_ms: Stored
}

const whole = (stored: Stored): number | null => (stored === null ? null : Number(stored))

const listedOf = (row: KeyRow): ListedKey => ({
  publicKey: row.public_key,
  announcedAtMs: Number(row.announced_at_ms),
  activeFromMs: whole(row.active_from_ms),
  retiredAtMs: whole(row.retired_at_ms),
  validUntilMs: whole(row.valid_until_ms)
})

/** Every key that the database ever had, the oldest first. */
export const readKeys = (sql: SqlClient): Effect.Effect<ReadonlyArray<ListedKey>, SqlError> =>
  Effect.map(sql<KeyRow>`SELECT * FROM signing_key_times ORDER BY announced_at_ms, public_key`, (rows) => rows.map(listedOf))

/** Replaces the rows. The caller has them locked. */
export const writeKeys = (sql: SqlClient, keys: ReadonlyArray<ListedKey>): Effect.Effect<void, SqlError> =>
  Effect.zipRight(
    sql`DELETE FROM signing_key_times`,
    Effect.forEach(
      keys,
      ({ activeFromMs, announcedAtMs, publicKey, retiredAtMs, validUntilMs }) => sql`
        INSERT INTO signing_key_times (public_key, announced_at_ms, active_from_ms, retired_at_ms, valid_until_ms)
        VALUES (${publicKey}, ${announcedAtMs}, ${activeFromMs}, ${retiredAtMs}, ${validUntilMs})`,
      { discard: true }
    )
  )

/** Lets no other transaction change the keys until this one ends. A SQLite transaction is alone in any case. */
export const lockKeys = (sql: SqlClient): Effect.Effect<void, SqlError> =>
  sql.onDialectOrElse({
    pg: () => Effect.asVoid(sql`LOCK TABLE signing_key_times IN SHARE ROW EXCLUSIVE MODE`),
    orElse: () => Effect.void
  })

/** A secret as it is stored: up to schema version 12, the only one was called `current`; now its name is its public key. */
export interface SecretRow {
  readonly name: string
  readonly publicKey: string
  readonly secret: Uint8Array
  readonly createdAtMs: number
}

/** The stored secrets. */
export const readSecrets = (sql: SqlClient): Effect.Effect<ReadonlyArray<SecretRow>, SqlError> =>
  Effect.map(
    sql<{ readonly name: string; readonly secret: Uint8Array; readonly created_at_ms: Stored }>`
      SELECT name, secret, created_at_ms FROM signing_keys`,
    (rows) =>
      rows.map(({ created_at_ms, name, secret: stored }) => {
        const secret = Uint8Array.from(stored)
        return { name, secret, publicKey: publicKeyOfSecret(secret), createdAtMs: Number(created_at_ms) }
      })
  )

/** Stores a secret under its public key. */
export const writeSecret = (sql: SqlClient, publicKey: string, secret: Uint8Array, nowMs: number): Effect.Effect<void, SqlError> =>
  Effect.asVoid(sql`
    INSERT INTO signing_keys (name, secret, created_at_ms) VALUES (${publicKey}, ${secret}, ${nowMs}) ON CONFLICT (name) DO NOTHING`)
