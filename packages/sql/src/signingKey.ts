/** The service's signing key: generated once, stored in the database, the same after every restart. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Entropy, Signer } from "@sibyl/core"
import { fromBigEndian } from "@sibyl/core/internal"
import { Clock, type Context, Effect, Layer, Redacted } from "effect"
import { transaction } from "./database/transaction.ts"

/** The order of secp256k1's group (SEC 2, section 2.4.1); a secret is between 1 and the order minus one. */
const groupOrder = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n

const secretBytes = 32
/** The name of the current signing key; keys retired by a rotation have other names. */
const currentKey = "current"

const isSecret = (bytes: Uint8Array): boolean => {
  const value = fromBigEndian(bytes)
  return value > 0n && value < groupOrder
}

const freshSecret = (entropy: Context.Tag.Service<Entropy>): Effect.Effect<Uint8Array> =>
  Effect.repeat(entropy.bytes(secretBytes), { until: isSecret })

const find = (sql: SqlClient): Effect.Effect<Uint8Array | undefined, SqlError> =>
  Effect.map(sql<{ readonly secret: Uint8Array }>`SELECT secret FROM signing_keys WHERE name = ${currentKey}`, ([row]) =>
    row === undefined ? undefined : Uint8Array.from(row.secret)
  )

/** The 32-byte secret of this database, generated on first use. Whoever can read the database can sign. */
export const signingSecret: Effect.Effect<Redacted.Redacted<Uint8Array>, never, SqlClient | Entropy> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const fresh = yield* freshSecret(yield* Entropy)
  const nowMs = yield* Clock.currentTimeMillis
  const loaded = Effect.gen(function* () {
    const stored = yield* find(sql)
    if (stored !== undefined) return stored
    // If two servers start for the first time at once, the second one uses the first one's key.
    yield* sql`
        INSERT INTO signing_keys (name, secret, created_at_ms) VALUES (${currentKey}, ${fresh}, ${nowMs})
        ON CONFLICT (name) DO NOTHING`
    return (yield* find(sql)) ?? fresh
  })
  return Redacted.make(yield* transaction(sql, "loading the signing key", loaded))
})

/** Signs in this process with the database's key. */
export const layerSqlSigner: Layer.Layer<Signer, never, SqlClient | Entropy> = Layer.unwrapEffect(
  Effect.map(signingSecret, Signer.layerFromSecret)
)
