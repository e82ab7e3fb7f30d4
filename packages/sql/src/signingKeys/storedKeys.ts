/** The service's signing keys: the first one is made once, all are stored in the database, and the same after every restart. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Entropy, keyAt, type ListedKey, RotationRefused } from "@sibyl/core"
import { activateKey, announceKey, comingAt, publicKeyOfSecret, retireKey, type Rotated } from "@sibyl/core/internal"
import { Clock, Effect, Either, Redacted } from "effect"
import { orSqlDefect, SqlDefect } from "../database/sqlDefect.ts"
import { transaction } from "../database/transaction.ts"
import { freshSecret, isSecret } from "./freshSecret.ts"
import { lockKeys, readKeys, readSecrets, writeKeys, writeSecret } from "./keyRows.ts"

/** The keys of an older version, or of a new database. The caller has them locked. */
const firstKeys = (sql: SqlClient, fresh: Uint8Array, nowMs: number): Effect.Effect<ReadonlyArray<ListedKey>, SqlError> =>
  Effect.gen(function* () {
    const [older] = yield* readSecrets(sql)
    const publicKey = older?.publicKey ?? publicKeyOfSecret(fresh)
    const keys = Either.getOrElse(announceKey([], publicKey, older?.createdAtMs ?? nowMs), () => [])
    yield* writeKeys(sql, keys)
    if (older === undefined) yield* writeSecret(sql, publicKey, fresh, nowMs)
    else yield* sql`UPDATE signing_keys SET name = ${publicKey} WHERE name = ${older.name}`
    return keys
  })

/** The keys of the database; its first one is made now if it has none. If two servers start at once, both use the same. */
export const signingKeys: Effect.Effect<ReadonlyArray<ListedKey>, never, SqlClient | Entropy> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const known = yield* orSqlDefect("reading the signing keys")(readKeys(sql))
  if (known.length > 0) return known
  const fresh = yield* freshSecret(yield* Entropy)
  const nowMs = yield* Clock.currentTimeMillis
  const loaded = Effect.gen(function* () {
    yield* lockKeys(sql)
    const stored = yield* readKeys(sql)
    return stored.length > 0 ? stored : yield* firstKeys(sql, fresh, nowMs)
  })
  return yield* transaction(sql, "making the signing key", loaded)
})

/** Lists the key of an older version, so that a backup without secrets names it; a database without any key gets none. */
export const listOlderKey: Effect.Effect<void, SqlError, SqlClient | Entropy> = Effect.gen(function* () {
  const sql = yield* SqlClient
  if ((yield* readKeys(sql)).length === 0 && (yield* readSecrets(sql)).length > 0) yield* signingKeys
})

/** Reads the keys as they are; none if no server has opened the database yet. */
export const listSigningKeys: Effect.Effect<ReadonlyArray<ListedKey>, never, SqlClient> = Effect.flatMap(SqlClient, (sql) =>
  orSqlDefect("reading the signing keys")(readKeys(sql))
)

const missingSecret = (publicKey: string): SqlDefect =>
  new SqlDefect(
    `the database has no secret for its signing key ${publicKey}: put it back with "sibyl signing-key import FILE", ` +
      'or replace the key with "sibyl signing-key announce" and "sibyl signing-key activate --in 0s"'
  )

/** The secret of a key, 32 bytes. Without it, a {@link SqlDefect} that says what to do. Whoever can read the database can sign. */
export const secretOfKey = (publicKey: string): Effect.Effect<Redacted.Redacted<Uint8Array>, never, SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const row = (yield* readSecrets(sql)).find((one) => one.publicKey === publicKey)
    return row === undefined ? yield* Effect.die(missingSecret(publicKey)) : Redacted.make(row.secret)
  }).pipe(orSqlDefect("reading the signing key"))

/** The public keys whose secrets are stored. */
export const keysWithSecrets: Effect.Effect<ReadonlySet<string>, never, SqlClient> = Effect.flatMap(SqlClient, (sql) =>
  orSqlDefect("reading the signing keys")(Effect.map(readSecrets(sql), (rows) => new Set(rows.map(({ publicKey }) => publicKey))))
)

/** The key that is announced, or to be activated, if its secret is not here: at its time, nobody could sign. */
export const comingWithoutSecret: Effect.Effect<ListedKey | undefined, never, SqlClient> = Effect.gen(function* () {
  const coming = comingAt(yield* listSigningKeys, yield* Clock.currentTimeMillis)
  return coming === undefined || (yield* keysWithSecrets).has(coming.publicKey) ? undefined : coming
})

/** One step of a rotation, in one transaction: `step` says what becomes of the keys, `secrets` what else is written. */
const rotate = (
  doing: string,
  step: (keys: ReadonlyArray<ListedKey>) => Rotated,
  secrets: (sql: SqlClient) => Effect.Effect<unknown, SqlError>
): Effect.Effect<ReadonlyArray<ListedKey>, RotationRefused, SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const changed = Effect.gen(function* () {
      yield* lockKeys(sql)
      const result = step(yield* readKeys(sql))
      if (Either.isRight(result)) {
        yield* writeKeys(sql, result.right)
        yield* secrets(sql)
      }
      return result
    })
    return yield* yield* transaction(sql, doing, changed)
  })

/** Makes a key and announces it: it is listed from now on, and signs nothing yet. */
export const announceSigningKey: Effect.Effect<ReadonlyArray<ListedKey>, RotationRefused, SqlClient | Entropy> = Effect.gen(function* () {
  yield* signingKeys
  const secret = yield* freshSecret(yield* Entropy)
  const publicKey = publicKeyOfSecret(secret)
  const nowMs = yield* Clock.currentTimeMillis
  return yield* rotate(
    "announcing a signing key",
    (keys) => announceKey(keys, publicKey, nowMs),
    (sql) => writeSecret(sql, publicKey, secret, nowMs)
  )
})

/** Lets the announced key sign in `inMs`, its predecessor's results being valid for `overlapMs` more. Without a present secret, at once if so wanted. */
export const activateSigningKey = (
  inMs: number,
  overlapMs: number
): Effect.Effect<ReadonlyArray<ListedKey>, RotationRefused, SqlClient | Entropy> =>
  Effect.gen(function* () {
    const present = keyAt(yield* signingKeys, yield* Clock.currentTimeMillis)?.publicKey ?? ""
    const withSecrets = yield* keysWithSecrets
    const isUrgent = !withSecrets.has(present)
    const nowMs = yield* Clock.currentTimeMillis
    return yield* rotate(
      "activating a signing key",
      (keys) => activateKey(keys, { nowMs, atMs: nowMs + inMs, overlapMs, isUrgent, withSecrets }),
      () => Effect.void
    )
  })

/** Ends a key that does not sign, and removes its secret. */
export const retireSigningKey = (publicKey: string): Effect.Effect<ReadonlyArray<ListedKey>, RotationRefused, SqlClient | Entropy> =>
  Effect.gen(function* () {
    yield* signingKeys
    const nowMs = yield* Clock.currentTimeMillis
    return yield* rotate(
      "ending a signing key",
      (keys) => retireKey(keys, publicKey, nowMs),
      (sql) => sql`DELETE FROM signing_keys WHERE name = ${publicKey}`
    )
  })

/**
 * Puts the secret of a listed key back, or makes it the key of a database that has none yet. The key of a database that has signed with
 * another one is only replaced by a rotation.
 */
export const importSigningKey = (
  secret: Redacted.Redacted<Uint8Array>
): Effect.Effect<ReadonlyArray<ListedKey>, RotationRefused, SqlClient> =>
  Effect.gen(function* () {
    const bytes = Redacted.value(secret)
    if (!isSecret(bytes)) return yield* new RotationRefused({ message: "this is no secret of a signing key" })
    const publicKey = publicKeyOfSecret(bytes)
    const nowMs = yield* Clock.currentTimeMillis
    return yield* rotate(
      "importing a signing key",
      (keys) => {
        if (keys.length === 0) return announceKey(keys, publicKey, nowMs)
        const listed = keys.some((key) => key.publicKey === publicKey)
        return listed
          ? Either.right(keys)
          : Either.left(new RotationRefused({ message: `${publicKey} is no signing key of this database` }))
      },
      (sql) => writeSecret(sql, publicKey, bytes, nowMs)
    )
  })
