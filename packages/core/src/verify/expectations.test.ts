/** A valid signature is not enough: request, network, age and outcome are checked too. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { liveParts, livePart, networkKeys, signedWithTestKey } from "../testdata/signedResponses.ts"
import { golden, testPublicKey } from "../testdata/vectors.ts"
import { verify, type VerifyOptions } from "../verify.ts"

const outcomeOf = (response: unknown, options: VerifyOptions): string => {
  const verdict = verify(response, options)
  return verdict.ok ? "accepted" : [verdict.reason, verdict.field].join(" ").trim()
}

const withExpectations = (expected: object, response: object = livePart): string =>
  outcomeOf(response, "publicKeys" in expected ? (expected as VerifyOptions) : { publicKey: networkKeys.mainnet, ...expected })

const { drId } = livePart.dataResult
const { execProgramId } = livePart.dataRequest
const other = "11".repeat(32)

describe("the data request", () => {
  it("is the requested one", () => {
    for (const id of [drId, `0x${drId.toUpperCase()}`]) expect(withExpectations({ drId: id })).toBe("accepted")
    expect(withExpectations({ drId: other })).toBe("wrongDrId dataResult.drId")
  })

  it("has the requested program, for both phases by default", () => {
    expect(withExpectations({ programId: execProgramId })).toBe("accepted")
    expect(withExpectations({ programId: other })).toBe("wrongProgram dataRequest.execProgramId")
    expect(withExpectations({ programId: execProgramId, tallyProgramId: other })).toBe("wrongProgram dataRequest.tallyProgramId")
    // Whoever may run the program may combine it with their own tally program, which then decides the result.
    const foreignTally = signedWithTestKey({ ...livePart.dataRequest, tallyProgramId: other }, livePart.dataResult)
    const trusted = { publicKey: testPublicKey, programId: execProgramId }
    expect(outcomeOf(foreignTally, { publicKey: testPublicKey })).toBe("accepted")
    expect(outcomeOf(foreignTally, trusted)).toBe("wrongProgram dataRequest.tallyProgramId")
    expect(outcomeOf(foreignTally, { ...trusted, tallyProgramId: other })).toBe("accepted")
  })
})

describe("the age", () => {
  const signedAt = Number(livePart.dataResult.blockTimestamp)

  it("is between the allowed limits, both inclusive", () => {
    const ms = fc.integer({ min: 0, max: 20_000 })
    fc.assert(
      fc.property(fc.integer({ min: -20_000, max: 20_000 }), ms, ms, (ageMs, maxAgeMs, maxAheadMs) => {
        const outcome = withExpectations({ freshness: { nowMs: signedAt + ageMs, maxAgeMs, maxAheadMs } })
        const reason = ageMs > maxAgeMs ? "tooOld" : ageMs < -maxAheadMs ? "fromTheFuture" : undefined
        expect(outcome).toBe(reason === undefined ? "accepted" : `${reason} dataResult.blockTimestamp`)
      }),
      { numRuns: 200 }
    )
  })

  it("may be ahead by ten seconds by default", () => {
    expect(withExpectations({ freshness: { nowMs: signedAt - 10_000, maxAgeMs: 0 } })).toBe("accepted")
    expect(withExpectations({ freshness: { nowMs: signedAt - 10_001, maxAgeMs: 0 } })).toContain("fromTheFuture")
  })
})

describe("success", () => {
  const ended = (exitCode: number, consensus: boolean) =>
    signedWithTestKey(livePart.dataRequest, { ...livePart.dataResult, exitCode, consensus })
  const signer = { publicKey: testPublicKey }

  it("is required only on request: a failure is signed too", () => {
    for (const [exitCode, consensus] of [
      [0, true],
      [1, true],
      [0, false],
      [255, false]
    ] as const) {
      expect(outcomeOf(ended(exitCode, consensus), signer)).toBe("accepted")
      const field = exitCode === 0 ? "consensus" : "exitCode"
      expect(outcomeOf(ended(exitCode, consensus), { ...signer, requireSuccess: true })).toBe(
        exitCode === 0 && consensus ? "accepted" : `notSuccessful dataResult.${field}`
      )
    }
  })
})

describe("the network", () => {
  it("is the one whose key signed the result", () => {
    for (const { network, part } of liveParts) {
      const publicKey = networkKeys[network]
      expect(verify(part, { publicKeys: networkKeys })).toMatchObject({ ok: true, network, publicKey })
      expect(verify(part, { publicKeys: networkKeys, network })).toMatchObject({ ok: true, network })
      const another = network === "mainnet" ? "testnet" : "mainnet"
      expect(outcomeOf(part, { publicKeys: networkKeys, network: another })).toBe("wrongNetwork")
      expect(outcomeOf(part, { publicKey: networkKeys[another] })).toBe("wrongSigner")
      expect(outcomeOf(part, { publicKeys: { local: testPublicKey } })).toBe("wrongSigner")
    }
  })

  it("is not distinguishable from another one with the same key", () => {
    const publicKeys = { one: networkKeys.mainnet, two: networkKeys.mainnet }
    for (const network of ["one", "two"]) {
      expect(verify(livePart, { publicKeys, network })).toMatchObject({ ok: true, network })
    }
  })
})

describe("what is expected", () => {
  it("is refused if malformed, before the response is read", () => {
    const wrong: ReadonlyArray<readonly [object, string]> = [
      [{ publicKey: "" }, "publicKey"],
      [{ publicKey: undefined }, "publicKey"],
      [{ publicKey: golden.testKey.publicKeyUncompressed }, "publicKey"],
      [{ publicKey: `04${"11".repeat(32)}` }, "publicKey"],
      [{ publicKeys: {} }, "publicKeys"],
      [{ publicKeys: undefined }, "publicKeys"],
      [{ publicKeys: { mainnet: "zz" } }, "publicKeys.mainnet"],
      [{ publicKeys: networkKeys, network: "devnet" }, "network"],
      [{ drId: "11" }, "drId"],
      [{ programId: "oracle.name" }, "programId"],
      [{ tallyProgramId: "" }, "tallyProgramId"],
      [{ freshness: { nowMs: Number.NaN, maxAgeMs: 1 } }, "freshness"],
      [{ freshness: { nowMs: 1 } }, "freshness"],
      [{ freshness: { nowMs: 1, maxAgeMs: -1 } }, "freshness"],
      [{ freshness: null }, "freshness"],
      [{ requireSuccess: "yes" }, "requireSuccess"],
      // Misspelled, of another kind of signer, or lost: it would check nothing.
      [{ drID: drId }, "drID"],
      [{ network: "mainnet" }, "network"],
      [{ publicKeys: networkKeys, publicKey: networkKeys.mainnet }, "publicKey"],
      [{ drId: undefined }, "drId"],
      [{ requireSuccess: undefined }, "requireSuccess"]
    ]
    for (const [expected, field] of wrong) {
      expect(withExpectations(expected, {}), JSON.stringify(expected)).toBe(`badOption ${field}`)
    }
    for (const options of [null, undefined, "key", {}]) expect(outcomeOf(livePart, options as never)).toMatch(/^badOption/)
    expect(withExpectations({}, {})).toBe("notAResponse")
  })
})
