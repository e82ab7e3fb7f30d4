/** A signer over the signing keys of the database. */
import { SqlClient } from "@effect/sql/SqlClient"
import { type Entropy, keyAt, layerRotatingSigner, type RotatingSignerOptions, type Signer } from "@sibyl/core"
import { signDigest } from "@sibyl/core/internal"
import { Clock, Effect, Layer, type Redacted } from "effect"
import { listSigningKeys, secretOfKey, signingKeys } from "./signingKeys/storedKeys.ts"

/** The 32-byte secret that signs now, made on first use. Whoever can read the database can sign. */
export const signingSecret: Effect.Effect<Redacted.Redacted<Uint8Array>, never, SqlClient | Entropy> = Effect.gen(function* () {
  const key = keyAt(yield* signingKeys, yield* Clock.currentTimeMillis)
  return yield* secretOfKey(key?.publicKey ?? "")
})

/** How the keys of a database sign; default: core's own signatures, in this thread alone. */
export interface SqlSignerOptions extends Partial<Pick<RotatingSignerOptions, "sign" | "inThreads">> {
  /** Is told each secret of 32 bytes when it is read, such as for a log that masks it. */
  readonly onSecret?: (secret: Redacted.Redacted<Uint8Array>) => void
}

/** Signs in this process with the database's keys, and follows their rotation. The options say how. */
export const layerSqlSigner = ({ onSecret = () => {}, ...options }: SqlSignerOptions = {}): Layer.Layer<
  Signer,
  never,
  SqlClient | Entropy
> =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const sql = yield* SqlClient
      // The first key is made now.
      yield* signingKeys
      return layerRotatingSigner({
        sign: signDigest,
        ...options,
        list: Effect.provideService(listSigningKeys, SqlClient, sql),
        secretOf: (publicKey) =>
          Effect.tap(Effect.provideService(secretOfKey(publicKey), SqlClient, sql), (secret) => Effect.sync(() => onSecret(secret)))
      })
    })
  )
