/** The signer of core satisfies the laws, and signers with a fault do not. */
import { Signer } from "@sibyl/core"
import { Effect, Layer, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { describeLaws } from "../../describeLaws.ts"
import { signerLaws } from "./signerLaws.ts"

const honest = Signer.layerFromSecret(Redacted.make(new Uint8Array(32).fill(1)))

describeLaws(
  "a signer in this process",
  signerLaws(() => honest)
)

type Sign = Signer["Type"]["sign"]

const faulty = (change: (sign: Sign) => Sign): Layer.Layer<Signer> =>
  Layer.effect(
    Signer,
    Effect.map(Signer, (signer) => ({ ...signer, sign: change(signer.sign) }))
  ).pipe(Layer.provide(honest))

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const highS = (signature: Uint8Array): Uint8Array => {
  const s = BigInt(`0x${Buffer.from(signature.subarray(32, 64)).toString("hex")}`)
  const high = (order - s).toString(16).padStart(64, "0")
  return Uint8Array.from([...signature.subarray(0, 32), ...Buffer.from(high, "hex"), 1 - (signature[64] ?? 0)])
}

describe("the laws find", () => {
  const shared = new Uint8Array(65)
  it.each<readonly [string, (sign: Sign) => Sign]>([
    ["a high s", (sign) => (digest) => Effect.map(sign(digest), highS)],
    [
      "v of 27 and 28",
      (sign) => (digest) => Effect.map(sign(digest), (made) => Uint8Array.from(made, (byte, at) => (at === 64 ? byte + 27 : byte)))
    ],
    ["another digest", (sign) => (digest) => sign(Uint8Array.from(digest, (byte) => byte ^ 1))],
    ["64 bytes", (sign) => (digest) => Effect.map(sign(digest), (made) => made.slice(0, 64))],
    ["one buffer for all", (sign) => (digest) => Effect.map(sign(digest), (made) => (shared.set(made), shared))]
  ])("%s", async (_, change) => {
    const results = await Promise.all(signerLaws(() => faulty(change)).map(({ run }) => Effect.runPromise(Effect.either(run))))
    expect(results.filter(({ _tag }) => _tag === "Left").length).toBeGreaterThan(0)
  })
})
