/** Proofs for data proxies: the network's vectors in both directions, and malformed proofs. */
import { Effect, Redacted } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Signer } from "../../ports/signer.ts"
import { bytesOf, golden } from "../../testdata/vectors.ts"
import { fromUtf8, toBase64, toHex } from "../encoding/bytes.ts"
import { fastProofDigest, fastProofHeader, readFastProof } from "./proxyProof.ts"
import { recoverSigner } from "../protocol/resultSignature.ts"

const vectors = golden.fastProofHeader.map(({ chainId, unixTimestampMs, ...vector }) => ({
  ...vector,
  proof: { timestampMs: Number(unixTimestampMs), chainId: chainId ?? undefined }
}))

const signed = (digest: Uint8Array): Promise<Uint8Array> =>
  Effect.flatMap(Signer, (signer) => signer.sign(digest)).pipe(
    Effect.provide(Signer.layerFromSecret(Redacted.make(bytesOf(golden.testKey.privateKey)))),
    Effect.runPromise
  )

describe("the proof header", () => {
  it.each(vectors)("is written as the network writes it ($proof.chainId)", async ({ headerValue, messageHash, proof }) => {
    const digest = fastProofDigest(proof)
    expect(toHex(digest)).toBe(messageHash)
    expect(fastProofHeader({ ...proof, signature: await signed(digest) })).toBe(headerValue)
  })

  it.each(vectors)("is read as the network reads it ($proof.chainId)", ({ headerValue, proof, publicKey, signature65 }) => {
    const read = readFastProof(headerValue)
    expect(read).toEqual({ ...proof, signature: bytesOf(signature65) })
    expect(recoverSigner(fastProofDigest(proof), bytesOf(signature65))).toBe(publicKey)
  })

  it("reads back what it wrote, whatever the network's name", () => {
    const proofs = fc.record({
      timestampMs: fc.integer({ min: 0, max: 2 ** 48 }),
      chainId: fc.option(fc.stringMatching(/^[a-z0-9-]{1,40}$/), { nil: undefined }),
      signature: fc.uint8Array({ minLength: 65, maxLength: 65 })
    })
    fc.assert(
      fc.property(proofs, (proof) => {
        expect(readFastProof(fastProofHeader(proof))).toEqual(proof)
      })
    )
  })

  it("binds time and network: each pair has its own digest", () => {
    const facts = fc.record({ timestampMs: fc.nat(), chainId: fc.stringMatching(/^[a-z0-9-]{1,12}$/) })
    fc.assert(
      fc.property(facts, facts, (left, right) => {
        const equal = left.timestampMs === right.timestampMs && left.chainId === right.chainId
        expect(toHex(fastProofDigest(left)) === toHex(fastProofDigest(right))).toBe(equal)
      })
    )
  })

  const signature = "ab".repeat(65)
  it.each([
    "",
    "not base64!",
    toBase64(fromUtf8("")),
    toBase64(fromUtf8(signature)),
    toBase64(fromUtf8(`1:${signature}:`)),
    toBase64(fromUtf8(`-1:${signature}`)),
    toBase64(fromUtf8(`1:${signature}00`)),
    toBase64(fromUtf8(`1:${signature}:a:b`)),
    toBase64(fromUtf8(`1e3:${signature}`)),
    toBase64(Uint8Array.of(0xff, 0xfe))
  ])("is refused if malformed: %j", (header) => {
    expect(readFastProof(header)).toBeUndefined()
  })
})
