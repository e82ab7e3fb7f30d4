/** Golden data: our ids, signatures, filters and arguments equal the network's, and one wrong digit is detected. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { oneDigitWrong } from "../../testdata/oneDigitWrong.ts"
import * as Vectors from "../../testdata/vectors.ts"
import { fromUtf8, toHex } from "../encoding/bytes.ts"
import { dataRequestIdOf } from "./dataRequestId.ts"
import { programIdOf } from "../programs/programId.ts"

const { golden } = Vectors

/** Descriptions that are not compared. */
const prose = [
  "name",
  "source",
  "note",
  "network",
  "signerEvmAddress",
  "gasUsedIsSum",
  "compactJsonBytes",
  "topLevelResultEqualsDataResultWith0x"
]

/** Every entry holds, and a copy with one wrong digit, in an input or in the expected value, does not. */
const holdsExactly = <Vector extends object>(
  vectors: ReadonlyArray<Vector>,
  holds: (vector: Vector) => boolean,
  numRuns: number,
  except: ReadonlyArray<string> = prose
): void => {
  for (const vector of vectors) expect(holds(vector), JSON.stringify(vector)).toBe(true)
  fc.assert(
    fc.property(
      fc.constantFrom(...vectors).chain((vector) => oneDigitWrong(vector, except)),
      (wrong) => !holds(wrong)
    ),
    { numRuns }
  )
}

describe("golden data", () => {
  it("is complete", () => {
    expect(golden.drId).toHaveLength(10)
    expect(golden.resultId).toHaveLength(5)
    expect(golden.liveServiceSamples).toHaveLength(4)
    expect(golden.consensusFilterEncoding).toHaveLength(6)
    expect(Vectors.consensusCases).toHaveLength(26)
    expect(golden.resultId.filter((vector) => vector.signatureByTestKey_rfc6979 !== undefined)).toHaveLength(4)
  })

  it("drId", () => holdsExactly(golden.drId, Vectors.drIdHolds, 2_000))

  it("result id and the test key's signature", () => {
    expect(Vectors.testPublicKey).toBe(golden.testKey.publicKeyCompressed)
    holdsExactly(golden.resultId, Vectors.resultIdHolds, 300)
  })

  it("responses of the public network: drId, result id, gas and recovered signer", () => {
    const samples = golden.liveServiceSamples.map(
      // The other fields concern the request as sent; the test below and the edge's tests check them.
      ({ dataRequest, dataResult, execGasUsed, expect: expected, signature, tallyGasUsed }) => {
        const { execOnsName: _, ...hashed } = { execOnsName: undefined, ...dataRequest }
        return { dataRequest: hashed, dataResult, execGasUsed, tallyGasUsed, signature, expect: expected }
      }
    )
    holdsExactly(samples, Vectors.liveSampleHolds, 300)
  })

  it("responses of the public network: execInputs are the bytes of the compact JSON that was posted", () => {
    const posted = golden.liveServiceSamples.filter((sample) => sample.requestBodyExecInputsCompactJson !== undefined)
    expect(posted).toHaveLength(3)
    for (const { dataRequest, requestBodyExecInputsCompactJson } of posted) {
      expect(toHex(fromUtf8(requestBodyExecInputsCompactJson ?? ""))).toBe(dataRequest.execInputs)
    }
  })

  it("service signers: every response is signed by its network's key", () => {
    const { mainnet, testnet } = golden.serviceSigners
    for (const { expect: expected, network } of golden.liveServiceSamples) {
      expect(expected.signerCompressed).toBe(network === "mainnet" ? mainnet.compressed : testnet.compressed)
    }
    expect(new Set(golden.liveServiceSamples.map(({ network }) => network))).toEqual(new Set(["mainnet", "testnet"]))
  })

  it("tally arguments", () => {
    // A wrong digit in the minimal reveal cannot be detected: it says what a program accepts, not what we send.
    holdsExactly(golden.tallyArgs, Vectors.tallyArgsHold, 500, [...prose, "minimalAcceptedReveal"])
  })

  it("program id", () => {
    // The first entry's 70,002 bytes are not in the golden data, so only its id can be parsed.
    const withBytes = golden.programId.flatMap(({ id, wasmHex }) => (wasmHex === undefined ? [] : [{ id, wasmHex }]))
    expect(withBytes).toHaveLength(1)
    holdsExactly(withBytes, Vectors.programIdHolds, 500)
  })

  it("Keccak-256 of nothing and of the version", () => {
    expect(programIdOf(new Uint8Array())).toBe(golden.keccak256Empty)
    expect(programIdOf(fromUtf8("0.0.1"))).toBe(golden["versionHash_0.0.1"])
  })

  it("consensus filter encoding, both ways", () => {
    for (const vector of golden.consensusFilterEncoding) {
      expect(Vectors.filterEncodingHolds(vector), vector.hex).toBe(true)
    }
    // Only the bytes can have a wrong digit: a filter with other numbers is another valid filter.
    fc.assert(
      fc.property(
        fc.constantFrom(...golden.consensusFilterEncoding).chain((vector) => oneDigitWrong(vector, ["filter"])),
        (wrong) => !Vectors.filterEncodingHolds(wrong)
      ),
      { numRuns: 500 }
    )
  })

  it("consensus cases", () => {
    for (const consensusCase of Vectors.consensusCases) {
      expect(Vectors.consensusCaseHolds(consensusCase), consensusCase.name).toBe(true)
    }
    const wrongVerdict = fc.constantFrom(...Vectors.consensusCases).chain((consensusCase) =>
      oneDigitWrong(consensusCase.expect, ["tallyGasUsedBeforeVm"]).map((wrong) => ({
        ...consensusCase,
        expect: wrong
      }))
    )
    fc.assert(
      fc.property(wrongVerdict, (wrong) => !Vectors.consensusCaseHolds(wrong)),
      { numRuns: 500 }
    )
  })
})

describe("dataRequestIdOf", () => {
  it("depends on every byte of every input", () => {
    const [request] = golden.drId.map((vector) => Vectors.requestOf(vector.request))
    if (request === undefined) throw new Error("there is no drId vector")
    const field = fc.constantFrom("execInputs", "tallyInputs", "consensusFilter", "memo")
    fc.assert(
      fc.property(field, fc.uint8Array({ maxLength: 64 }), fc.uint8Array({ maxLength: 64 }), (name, left, right) => {
        const same = toHex(left) === toHex(right)
        const ids = [left, right].map((bytes) => dataRequestIdOf({ ...request, [name]: bytes }))
        expect(ids[0] === ids[1]).toBe(same)
      })
    )
  })
})
