/** The server's signer: byte for byte the signatures of core's reference, ten times as fast. */
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
import { Signer, type ThreadSigning } from "@sibyl/core"
import { Effect, Layer, Redacted } from "effect"
import { fastestSignatures } from "./signatures.ts"

/** Whether the threads that run programs may sign, too; they get the secret when they start. Default false. */
export interface LocalSignerOptions {
  readonly inThreads?: boolean
}

/** The module for threads: `dist`, both for published packages and for tests that run from source; none if that has not been built. */
const threadSigningWith = (secret: Redacted.Redacted<Uint8Array>): { readonly inThreads?: ThreadSigning } => {
  const path = createRequire(import.meta.url).resolve("@sibyl/server/thread-signatures")
  return existsSync(path) ? { inThreads: { module: pathToFileURL(path).href, secret } } : {}
}

/** Signs in this process. The secret is 32 bytes, 1 to n−1; any other is a defect. */
export const layerLocalSigner = (
  secret: Redacted.Redacted<Uint8Array>,
  { inThreads = false }: LocalSignerOptions = {}
): Layer.Layer<Signer> =>
  Layer.sync(Signer, () => ({
    publicKey: Buffer.from(fastestSignatures.publicKeyOf(Redacted.value(secret))).toString("hex"),
    sign: (digest) => Effect.sync(() => fastestSignatures.sign(digest, Redacted.value(secret))),
    ...(inThreads ? threadSigningWith(secret) : {})
  }))
