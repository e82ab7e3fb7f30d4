/** A response is accepted as it was signed, and refused with its reason after any single change. */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { fromBigEndian, toBigEndian, toHex } from "./domain/encoding/bytes.ts"
import { bitsOf, fieldOf, livePart, liveParts, networkKeys, oneBitChanged, signedFieldsOf, withField } from "./testdata/signedResponses.ts"
import { bytesOf, golden } from "./testdata/vectors.ts"
import { evmAddressOf, type RefusalReason, verify } from "./verify.ts"

const mainnet = { publicKey: networkKeys.mainnet }

const check = (response: unknown) => verify(response, mainnet)

const refusal = (response: unknown) => {
  const verdict = check(response)
  return verdict.ok ? "accepted" : { reason: verdict.reason, field: verdict.field }
}

describe("responses of the public network", () => {
  it.each(liveParts)("$expect.drId: accepted with its ids and its signer", ({ expect: expected, network, part }) => {
    const verdict = verify(part, { publicKey: networkKeys[network] })
    expect(verdict).toMatchObject({
      ok: true,
      drId: expected.drId,
      resultId: expected.resultId,
      publicKey: expected.signerCompressed
    })
  })

  it("return the signed values", () => {
    const verdict = check(livePart)
    if (!verdict.ok) throw new Error(verdict.message)
    expect(toHex(verdict.dataResult.result)).toBe(livePart.dataResult.result)
    expect(verdict.dataResult.blockTimestamp).toBe(BigInt(livePart.dataResult.blockTimestamp))
    expect(verdict.dataRequest.execProgramId).toBe(livePart.dataRequest.execProgramId)
    expect(verdict.network).toBeUndefined()
  })

  it("are accepted with the other name of the payload, and with both", () => {
    const { sedaPayload, ...rest } = livePart.dataResult
    expect(refusal({ ...livePart, dataResult: { ...rest, servicePayload: sedaPayload } })).toBe("accepted")
    expect(refusal({ ...livePart, dataResult: { ...rest, sedaPayload, servicePayload: sedaPayload } })).toBe("accepted")
    expect(refusal({ ...livePart, dataResult: { ...rest, sedaPayload, servicePayload: "00" } })).toEqual({
      reason: "malformed",
      field: "dataResult.sedaPayload"
    })
  })

  it("are accepted with hex in any letter case, with 0x and without", () => {
    const hexFields = signedFieldsOf(livePart).filter(
      (field) => typeof fieldOf(livePart, field) === "string" && !/version|Gas|gas|block/.test(field)
    )
    expect(hexFields).toHaveLength(11)
    for (const field of hexFields) {
      const hex = String(fieldOf(livePart, field))
      for (const same of [`0x${hex}`, hex.toUpperCase(), `0X${hex.toUpperCase()}`]) {
        expect(refusal(withField(livePart, field, same)), field).toBe("accepted")
      }
    }
    expect(verify(livePart, { publicKey: `0x${networkKeys.mainnet.toUpperCase()}` }).ok).toBe(true)
  })

  it("are accepted with v as 27 and 28", () => {
    for (const { network, part } of liveParts) {
      const v = Number(part.signature.slice(-2))
      const signature = part.signature.slice(0, -2) + (v + 27).toString(16)
      expect(verify({ ...part, signature }, { publicKey: networkKeys[network] }).ok).toBe(true)
    }
  })
})

/** The possible reasons for a changed bit of a field. */
const reasonsFor = (field: string): ReadonlyArray<RefusalReason> => {
  if (field.endsWith(".version")) return ["unsupportedVersion"]
  if (field.startsWith("dataRequest.")) return ["requestChanged"]
  if (field === "dataResult.drId") return ["drIdChanged"]
  return field === "signature" ? ["wrongSigner", "signatureHighS", "signatureV", "signatureInvalid"] : ["wrongSigner"]
}

/** The field named in such a refusal. */
const placeFor = (field: string): ReadonlyArray<string | undefined> => {
  if (field.endsWith(".version") || field === "dataResult.drId") return [field]
  if (field.startsWith("dataRequest.")) return ["dataRequest"]
  return field === "signature" ? ["signature", undefined] : [undefined]
}

describe("one changed bit", () => {
  it.each(signedFieldsOf(livePart))("of %s is refused", (field) => {
    fc.assert(
      fc.property(oneBitChanged(livePart, field), (changed) => {
        const verdict = check(changed)
        if (verdict.ok) throw new Error("accepted")
        expect(reasonsFor(field)).toContain(verdict.reason)
        expect(placeFor(field)).toContain(verdict.field)
      }),
      { numRuns: field === "signature" ? 120 : 24 }
    )
  })

  it("is tested in every field", () => expect(signedFieldsOf(livePart)).toHaveLength(11 + 10 + 1))

  it("of request and result at once is refused too", () => {
    const otherRequest = { ...livePart, dataRequest: { ...livePart.dataRequest, memo: "00" } }
    expect(refusal(withField(otherRequest, "dataResult.gasUsed", "1"))).toEqual({ reason: "drIdMismatch" })
  })
})

describe("a field", () => {
  const fields = signedFieldsOf(livePart)

  it.each(fields)("%s that is absent or of another type is named", (field) => {
    // An empty text is valid for some bytes; any text is a version, even if not ours.
    const texts = field.endsWith(".version") ? [] : ["zz", "0x0"]
    const empty = /Inputs|Filter|memo|result$|Address|Payload|version/.test(field) ? [] : [""]
    for (const value of [undefined, null, [], {}, -1, 0.5, 1e21, ...texts, ...empty]) {
      // A result without its payload is refused with the specified name of the field.
      const expected = { reason: "malformed", field: value === undefined ? field.replace("seda", "service") : field }
      expect(refusal(withField(livePart, field, value)), JSON.stringify(value)).toEqual(expected)
    }
  })

  it("beyond its range is refused, although the ids would be the same", () => {
    const numbers = fields.filter((field) => (field.split(".")[1] ?? "") in bitsOf)
    expect(numbers).toHaveLength(6)
    for (const field of numbers) {
      const old = String(fieldOf(livePart, field))
      const above = BigInt(old) + (1n << BigInt(bitsOf[field.split(".")[1] ?? ""] ?? 0))
      for (const value of [String(above), `0${old}`, `+${old}`, `${old}.0`, ` ${old}`, "1".repeat(500), Number(old)]) {
        expect(refusal(withField(livePart, field, value)), `${field} ${value}`).toEqual({ reason: "malformed", field })
      }
    }
    for (const [field, value] of [
      ["dataResult.exitCode", 256],
      ["dataRequest.replicationFactor", 65_537]
    ] as const) {
      expect(refusal(withField(livePart, field, value))).toEqual({ reason: "malformed", field })
    }
  })
})

describe("a signature", () => {
  const bytes = bytesOf(livePart.signature)
  const withSignature = (signature: Uint8Array) => refusal({ ...livePart, signature: toHex(signature) })

  it("with the high s is refused, although it is valid for the key", () => {
    const { n } = secp256k1.Point.CURVE()
    const s = n - fromBigEndian(bytes.subarray(32, 64))
    const twin = Uint8Array.of(...bytes.subarray(0, 32), ...toBigEndian(s, 32), 1 - (bytes[64] ?? 0))
    expect(withSignature(twin)).toEqual({ reason: "signatureHighS", field: "signature" })
  })

  it("with any other v is refused", () => {
    for (const v of [2, 3, 26, 29, 128, 255]) {
      expect(withSignature(bytes.with(64, v)), String(v)).toEqual({ reason: "signatureV", field: "signature" })
    }
    expect(withSignature(bytes.with(64, 1 - (bytes[64] ?? 0)))).toEqual({ reason: "wrongSigner" })
  })

  it("without a valid key or of another length is refused", () => {
    expect(withSignature(new Uint8Array(65))).toEqual({ reason: "signatureInvalid", field: "signature" })
    const hugeR = new Uint8Array(65).fill(255, 0, 32)
    expect(withSignature(hugeR)).toEqual({ reason: "signatureInvalid", field: "signature" })
    for (const length of [0, 64, 66]) {
      expect(withSignature(new Uint8Array(length))).toEqual({ reason: "malformed", field: "signature" })
    }
  })
})

describe("anything else", () => {
  it("is refused and never throws", () => {
    const part = fc.constantFrom("dataRequest", "dataResult", "signature", "result", "data")
    const input = fc.oneof(
      fc.anything(),
      fc.jsonValue(),
      fc.tuple(part, fc.jsonValue()).map(([name, value]) => ({ ...livePart, signature: "", [name]: value })),
      fc.jsonValue().map((value) => ({ data: value, dataResult: value, result: value, params: value }))
    )
    fc.assert(
      fc.property(input, (response) => !check(response).ok),
      { numRuns: 2_000 }
    )
    for (const nothing of [undefined, null, "", 0, [], {}, { data: [] }, { data: null }, JSON.stringify(livePart)]) {
      expect(refusal(nothing)).toEqual({ reason: "notAResponse" })
    }
  })
})

describe("evmAddressOf", () => {
  it("is the address of the key in contracts", () => {
    const { mainnet, testnet } = golden.serviceSigners
    for (const { compressed, evmAddress } of [mainnet, testnet]) expect(evmAddressOf(compressed)).toBe(evmAddress)
    const { evmAddress, publicKeyCompressed, publicKeyUncompressed } = golden.testKey
    expect(evmAddressOf(publicKeyCompressed)).toBe(evmAddress)
    expect(evmAddressOf(`0x${publicKeyUncompressed}`)).toBe(evmAddress)
  })

  it("exists for keys only", () => {
    for (const text of ["", "zz", "02", `02${"ff".repeat(32)}`, `05${"11".repeat(32)}`]) {
      expect(evmAddressOf(text), text).toBeUndefined()
    }
  })
})
