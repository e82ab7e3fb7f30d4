/** The verifier agrees with the public network: its golden ids, signatures and recorded responses. */
import { readFileSync } from "node:fs"
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import { describe, expect, it } from "vitest"
import { derivedDrId, derivedResultId, recoveredKey, signatureHolds } from "./verification.ts"

interface Golden {
  readonly drId: ReadonlyArray<{ readonly name: string; readonly request: object; readonly drId: string }>
  readonly testKey: { readonly publicKeyCompressed: string; readonly privateKey: string }
  readonly resultId: ReadonlyArray<{
    readonly name: string
    readonly result: object
    readonly resultId: string
    readonly signatureByTestKey_rfc6979?: string
  }>
  readonly responses: ReadonlyArray<{
    readonly name: string
    readonly dataRequest: object
    readonly dataResult: object
    readonly signature: string
    readonly expect: { readonly drId: string; readonly resultId: string; readonly signerCompressed: string }
  }>
}

const golden = JSON.parse(readFileSync(new URL("./testdata/protocol.json", import.meta.url), "utf8")) as Golden

it.each(golden.drId)("derives the drId of $name", ({ request, drId }) => {
  expect(derivedDrId(request)).toBe(drId)
})

it.each(golden.resultId)("derives the result id of $name", ({ result, resultId }) => {
  expect(bytesToHex(derivedResultId(result))).toBe(resultId)
})

it("refuses a number that is too large for its place", () => {
  const [{ result } = { result: {} }] = golden.resultId
  expect(() => derivedResultId({ ...result, exitCode: 256 })).toThrow(new Error("256 is too large for its 8 bits"))
  expect(bytesToHex(derivedResultId({ ...result, exitCode: 255 }))).toHaveLength(64)
})

const signed = golden.resultId.flatMap(({ name, resultId, signatureByTestKey_rfc6979: signature }) =>
  signature === undefined ? [] : [{ name, digest: hexToBytes(resultId), signature }]
)

it.each(signed)("accepts the test key's signature over $name", ({ digest, signature }) => {
  expect(signatureHolds(signature, digest, golden.testKey.publicKeyCompressed)).toBe(true)
})

it.each(golden.responses)("verifies the recorded response $name", ({ dataRequest, dataResult, signature, expect: expected }) => {
  const digest = derivedResultId(dataResult)
  expect(derivedDrId(dataRequest)).toBe(expected.drId)
  expect(bytesToHex(digest)).toBe(expected.resultId)
  expect(recoveredKey(signature, digest)).toBe(expected.signerCompressed)
  expect(signatureHolds(signature, digest, expected.signerCompressed)).toBe(true)
})

describe("a signature is refused", () => {
  const { digest, signature } = signed[0] ?? { digest: new Uint8Array(32), signature: "" }
  const key = golden.testKey.publicKeyCompressed
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

  it("over another digest", () => {
    expect(
      signatureHolds(
        signature,
        digest.map((byte, at) => (at === 31 ? byte ^ 1 : byte)),
        key
      )
    ).toBe(false)
  })

  it("of another key", () => {
    expect(signatureHolds(signature, digest, "025316f89e976d2e41b1437f7a6552a547a1e4900e861ca485c842ed3f016a7824")).toBe(false)
  })

  it("with a high s", () => {
    const s = order - BigInt(`0x${signature.slice(64, 128)}`)
    const high = `${signature.slice(0, 64)}${s.toString(16).padStart(64, "0")}${signature.endsWith("00") ? "01" : "00"}`
    expect(recoveredKey(high, digest)).toBe(key)
    expect(signatureHolds(high, digest, key)).toBe(false)
  })

  it.each(["", "undefined", "0g".repeat(65), "00".repeat(64)])("that is none: %s", (other) => {
    expect(signatureHolds(other, digest, key)).toBe(false)
    expect(recoveredKey(other, digest)).toBeUndefined()
  })

  it("that recovers to no key, or whose key is none", () => {
    expect(recoveredKey("00".repeat(65), digest)).toBeUndefined()
    expect(signatureHolds(signature, digest, "undefined")).toBe(false)
  })

  it("with v of 27", () => {
    expect(signatureHolds(`${signature.slice(0, 128)}1b`, digest, key)).toBe(false)
  })
})
