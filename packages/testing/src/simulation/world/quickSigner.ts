/** A signer for simulations: deterministic, a hundred times faster than a curve, and as bound to its digest. */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { Signer } from "@sibyl/core"
import { Effect, Layer } from "effect"

const secret = new Uint8Array(32).fill(1)

/** 65 bytes that only this digest has. */
export const quickSignature = (digest: Uint8Array): Uint8Array => {
  const [r, s] = [Uint8Array.of(...secret, ...digest), Uint8Array.of(...digest, ...secret)].map((bytes) => keccak_256(bytes))
  return Uint8Array.of(...(r ?? []), ...(s ?? []), 0)
}

/** Signs with it; nobody can verify these signatures but who knows the secret. */
export const layerQuickSigner: Layer.Layer<Signer> = Layer.succeed(Signer, {
  publicKey: "02".padEnd(66, "11"),
  sign: (digest) => Effect.sync(() => quickSignature(digest)),
  // Signatures of signers without it are verified.
  signNow: () => undefined
})
