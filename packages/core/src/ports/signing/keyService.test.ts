/** Keys and signatures as services for keys give them; the example of the package's README, with keys of our own in the KMS. */
import { generateKeyPairSync } from "node:crypto"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { publicKeyOfSecret, signDigest, Signer } from "../signer.ts"
import { checkedSign } from "./checkedSign.ts"
import { fromHex, toHex } from "../../domain/encoding/bytes.ts"
import { InvalidOption } from "../../domain/settings/invalidOption.ts"
import { signerKeyOf, signerSignatureOf } from "./keyService.ts"

const secret = new Uint8Array(32).fill(7)
const publicKey = publicKeyOfSecret(secret)
const pointOf = (compressed: boolean): Uint8Array => secp256k1.getPublicKey(secret, compressed)
const withHead = (head: string, point: Uint8Array): Uint8Array => Uint8Array.of(...(fromHex(head) ?? []), ...point)
const digests = Array.from({ length: 12 }, (_, byte) => new Uint8Array(32).fill(byte + 1))

/** As a KMS signs: of s and n−s the one that came. */
const serviceSignature = (digest: Uint8Array, form: "der" | "compact"): Uint8Array =>
  secp256k1.sign(digest, secret, { prehash: false, lowS: false, format: form })

describe("the key of a signer", () => {
  it("is that of Node's SubjectPublicKeyInfo", () => {
    const { privateKey, publicKey: info } = generateKeyPairSync("ec", { namedCurve: "secp256k1" })
    const own = new Uint8Array(Buffer.from(privateKey.export({ format: "jwk" }).d ?? "", "base64url"))
    expect(signerKeyOf(info.export({ type: "spki", format: "der" }))).toBe(publicKeyOfSecret(own))
  })

  it.each([
    ["a compressed point", pointOf(true)],
    ["an uncompressed point", pointOf(false)],
    ["the compressed point of a SubjectPublicKeyInfo", withHead("3036301006072a8648ce3d020106052b8104000a032200", pointOf(true))],
    ["a Buffer", Buffer.from(pointOf(false))]
  ])("is that of %s", (_what, bytes) => {
    expect(signerKeyOf(bytes)).toBe(publicKey)
  })

  it.each([
    ["nothing", new Uint8Array()],
    ["a key of P-256", generateKeyPairSync("ec", { namedCurve: "prime256v1" }).publicKey.export({ type: "spki", format: "der" })],
    ["a point beside the curve", Uint8Array.of(...pointOf(false).subarray(0, 64), 0)],
    ["PEM", new TextEncoder().encode("-----BEGIN PUBLIC KEY-----")],
    ["a point and more", Uint8Array.of(...pointOf(true), 0)]
  ])("is not made of %s", (_what, bytes) => {
    expect(() => signerKeyOf(bytes)).toThrow(InvalidOption)
    expect(() => signerKeyOf(bytes)).toThrow("key: must be a key of secp256k1: a SubjectPublicKeyInfo in DER, or a point of 33 or 65 bytes")
  })
})

describe.each(["der", "compact"] as const)("a signature in the form %s", (form) => {
  it("is that of the protocol, whichever s came", () => {
    const halves = digests.map((digest) => {
      const made = serviceSignature(digest, form)
      expect(toHex(signerSignatureOf(digest, made, publicKey))).toBe(toHex(signDigest(digest, secret)))
      return secp256k1.Signature.fromBytes(made, form).hasHighS()
    })
    expect(new Set(halves).size).toBe(2)
  })

  it.each([
    ["another digest", digests[1], publicKey],
    ["another key", digests[0], publicKeyOfSecret(new Uint8Array(32).fill(8))],
    ["a digest that is none", new Uint8Array(31), publicKey]
  ])("of %s is refused", (_what, digest, key) => {
    const made = serviceSignature(digests[0] ?? new Uint8Array(), form)
    expect(() => signerSignatureOf(digest ?? new Uint8Array(), made, key)).toThrow(
      `signature: must be of this digest, not hashed again, by the key ${key}, in DER or as 64 bytes r‖s`
    )
  })
})

it.each([0, 63, 64, 65, 72])("%i bytes that are no signature are refused", (length) => {
  expect(() => signerSignatureOf(new Uint8Array(32).fill(1), new Uint8Array(length), publicKey)).toThrow(InvalidOption)
})

it("the README's signer of a KMS is one that a service takes", async () => {
  // As most clients are: of a class, whose methods need their object.
  const kms = new (class {
    readonly #info = withHead("3056301006072a8648ce3d020106052b8104000a034200", pointOf(false))
    readonly #form = "der"
    getPublicKey() {
      return Promise.resolve(this.#info)
    }
    sign(digest: Uint8Array) {
      return Promise.resolve(serviceSignature(digest, this.#form))
    }
  })()
  const makeSigner = Effect.map(
    Effect.promise(() => kms.getPublicKey()),
    (info): Signer["Type"] => {
      const publicKey = signerKeyOf(info)
      const sign = (digest: Uint8Array) =>
        Effect.map(
          Effect.promise(() => kms.sign(digest)),
          (der) => signerSignatureOf(digest, der, publicKey)
        )
      return { publicKey, sign }
    }
  )
  const signer = await Effect.runPromise(makeSigner)
  for (const digest of digests) expect(await Effect.runPromise(checkedSign(signer)(digest))).toEqual(signDigest(digest, secret))
})
