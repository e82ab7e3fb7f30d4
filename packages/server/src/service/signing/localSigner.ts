/** The server's signer: byte for byte the signatures of core's reference, ten times as fast. */
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
import { isMainThread } from "node:worker_threads"
import type { SqlClient } from "@effect/sql/SqlClient"
import { type Entropy, Signer, type ThreadSigning } from "@sibyl/core"
import { layerSqlSigner } from "@sibyl/sql"
import { Effect, Layer, Redacted } from "effect"
import { hideBytes } from "../../output/withoutSecrets.ts"
import { fastestSignatures } from "./fastestSignatures.ts"

/** Whether the threads that run programs may sign, too; they get the secret when they start. Default false. */
export interface LocalSignerOptions {
  readonly inThreads?: boolean
}

/**
 * The module for threads: `dist`, both for published packages and for tests that run from source; none if that has not been built, and in a
 * thread that was started by another one: if that ends it, its own threads end with it, within a signature, too.
 */
const threadSigningWith = (publicKey: string, secret: Redacted.Redacted<Uint8Array>): ThreadSigning | undefined => {
  if (!isMainThread) return undefined
  const path = createRequire(import.meta.url).resolve("@sibyl/server/thread-signatures")
  return existsSync(path) ? { module: pathToFileURL(path).href, secret, publicKey } : undefined
}

/** Signs in this process with one secret: 32 bytes, 1 to n−1; any other is a defect. */
export const layerLocalSigner = (
  secret: Redacted.Redacted<Uint8Array>,
  { inThreads = false }: LocalSignerOptions = {}
): Layer.Layer<Signer> =>
  Layer.sync(Signer, () => {
    const publicKey = Buffer.from(fastestSignatures.publicKeyOf(Redacted.value(secret))).toString("hex")
    const threads = inThreads ? threadSigningWith(publicKey, secret) : undefined
    return {
      publicKey,
      sign: (digest) => Effect.sync(() => fastestSignatures.sign(digest, Redacted.value(secret))),
      signNow: (digest) => fastestSignatures.sign(digest, Redacted.value(secret)),
      ...(threads === undefined ? {} : { inThreads: threads })
    }
  })

/** Signs in this process with the keys of the database, and follows their rotation. */
export const layerStoredSigner = ({ inThreads = false }: LocalSignerOptions = {}): Layer.Layer<Signer, never, SqlClient | Entropy> =>
  layerSqlSigner({
    sign: fastestSignatures.sign,
    onSecret: (secret) => hideBytes(Redacted.value(secret)),
    ...(inThreads ? { inThreads: threadSigningWith } : {})
  })
