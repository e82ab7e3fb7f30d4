/** The contract in a real EVM accepts responses signed by our service and by the public network, and no changed response. */
import { readFileSync } from "node:fs"
import type { SignedRecord } from "@sibyl/core"
import { evmAddressOf, verify } from "@sibyl/core/verify"
import { Effect } from "effect"
import fc from "fast-check"
import { beforeAll, describe, expect, it } from "vitest"
import { outcome, type Script } from "../../packages/core/src/testdata/scriptedRuntime.ts"
import {
  livePart,
  liveParts,
  networkKeys,
  oneBitChanged,
  signedFieldsOf,
  signedWithTestKey
} from "../../packages/core/src/testdata/signedResponses.ts"
import { golden, testPublicKey } from "../../packages/core/src/testdata/vectors.ts"
import { openTestService, seamRequest } from "../../packages/core/src/testdata/testService.ts"
import { changedFields, highTwin } from "./changedFields.ts"
import { type CompiledContract, compileContract } from "./compileContract.ts"
import { type DeployedVerifier, deployVerifier } from "./deployedVerifier.ts"

const addressOf = (publicKey: string): string => evmAddressOf(publicKey) ?? ""

let contract: CompiledContract
/** Trusts the test key, which our service uses here. */
let ours: DeployedVerifier
/** Trusts the public network's main key. */
let mainnet: DeployedVerifier

beforeAll(async () => {
  contract = compileContract()
  ours = await deployVerifier(contract, addressOf(testPublicKey))
  mainnet = await deployVerifier(contract, addressOf(networkKeys.mainnet))
})

const verdict = async (verifier: DeployedVerifier, record: object) => {
  const { accepted, refusal } = await verifier.ask(record as SignedRecord)
  expect(accepted).toBe(refusal === "None")
  return refusal
}

describe("responses of the public network", () => {
  it("are accepted under their own key and refused under the other", async () => {
    const testnet = await deployVerifier(contract, golden.serviceSigners.testnet.evmAddress)
    for (const { expect: expected, network, part } of liveParts) {
      const [own, other] = network === "mainnet" ? [mainnet, testnet] : [testnet, mainnet]
      expect(await own.idsOf(part)).toEqual({ drId: expected.drId, resultId: expected.resultId })
      expect([await verdict(own, part), await verdict(other, part)]).toEqual(["None", "Signer"])
    }
  })

  it("are accepted with v as 27 and 28", async () => {
    for (const { network, part } of liveParts) {
      if (network !== "mainnet") continue
      const v = Number(part.signature.slice(-2)) + 27
      expect(await verdict(mainnet, { ...part, signature: part.signature.slice(0, -2) + v.toString(16) })).toBe("None")
    }
  })
})

describe("the golden ids", () => {
  it("are the contract's", async () => {
    for (const { drId, request } of golden.drId) {
      expect((await ours.idsOf({ ...livePart, dataRequest: request })).drId).toBe(drId)
    }
    for (const { result, resultId } of golden.resultId) {
      // One upstream vector has a drId of eight bytes, which a bytes32 cannot represent.
      if (result.drId.length !== 64) continue
      expect((await ours.idsOf({ ...livePart, dataResult: result })).resultId).toBe(resultId)
    }
  })
})

/** A program whose execution phase ends as its inputs request. */
const asTold: Script = ({ args, phase }) => {
  const told = Uint8Array.from(Buffer.from(args[0] ?? "", "hex"))
  return Effect.succeed(phase === "tally" ? outcome({ result: Uint8Array.of(1) }) : outcome({ exitCode: told[0] ?? 0 }))
}

describe("responses of our own service", () => {
  it("are accepted, failed runs too, whatever the payload field is called", async () => {
    for (const payloadField of ["servicePayload", "sedaPayload", "both"] as const) {
      const world = await openTestService({ script: asTold, options: { payloadField } })
      for (const inputs of ["0x", "0x00ff", "0x07"]) {
        const path = `/execute?execProgramId=${world.execProgramId}&execInputs=${inputs}`
        const headers = { authorization: `Bearer ${world.key}` }
        const answer = await world.service.fetch(seamRequest("GET", path, { headers }))
        expect(answer?.status).toBe(inputs === "0x07" ? 599 : 200)
        const { data } = JSON.parse(String(answer?.body)) as { readonly data: SignedRecord }
        expect(await verdict(ours, data)).toBe("None")
        expect(await verdict(mainnet, data)).toBe("Signer")
        for (const { field, record } of changedFields(data)) {
          // If both names are shown, one of them is not read.
          const unread = payloadField === "both" && field === "dataResult.sedaPayload"
          expect((await verdict(ours, record)) === "None", field).toBe(unread)
        }
      }
      await world.service.dispose()
    }
  })
})

describe("the recorded response", () => {
  it("is accepted, and contract and library agree on every change of it", async () => {
    const text = readFileSync(new URL("response.json", import.meta.url), "utf8")
    const { publicKey, response } = JSON.parse(text) as {
      readonly publicKey: string
      readonly response: { readonly data: SignedRecord }
    }
    const its = await deployVerifier(contract, addressOf(publicKey))
    expect([await verdict(its, response.data), verify(response, { publicKey }).ok]).toEqual(["None", true])
    const changes = changedFields(response.data)
    expect(changes).toHaveLength(11 + 10 + 2)
    for (const { field, record } of changes) {
      const { accepted } = await its.ask(record)
      expect([accepted, verify(record, { publicKey }).ok], field).toEqual([false, false])
    }
  })
})

/** The expected reasons for a changed field: the field's own reason if the arguments can still express it. */
const refusalsFor = (field: string): ReadonlyArray<string> => {
  if (field.endsWith(".version")) return ["Version"]
  if (field.startsWith("dataRequest.") || field === "dataResult.drId") return ["DrId"]
  return field === "signature" ? ["Signer", "HighS", "RecoveryId"] : ["Signer"]
}

describe("one changed bit", () => {
  it.each(signedFieldsOf(livePart))("of %s is refused", async (field) => {
    await fc.assert(
      fc.asyncProperty(oneBitChanged(livePart, field), async (record) => {
        expect(refusalsFor(field)).toContain(await verdict(mainnet, record))
      }),
      { numRuns: field === "signature" ? 60 : 8 }
    )
  })
})

describe("a signature", () => {
  const { signature } = livePart

  it("with the high s is refused, although it is valid for the key", async () => {
    expect(await verdict(mainnet, { ...livePart, signature: highTwin(signature) })).toBe("HighS")
  })

  it("with another v or another length is refused", async () => {
    const rs = signature.slice(0, -2)
    for (const v of ["02", "03", "1a", "1d", "80", "ff"]) {
      expect(await verdict(mainnet, { ...livePart, signature: rs + v }), v).toBe("RecoveryId")
    }
    for (const wrong of ["", rs, `${signature}00`]) {
      expect(await verdict(mainnet, { ...livePart, signature: wrong })).toBe("SignatureLength")
    }
  })

  it("without a valid key is refused", async () => {
    expect(await verdict(mainnet, { ...livePart, signature: "00".repeat(65) })).toBe("Signer")
  })
})

describe("extreme values", () => {
  const { dataRequest, dataResult } = livePart
  const u64 = String(2n ** 64n - 1n)
  const u128 = String(2n ** 128n - 1n)

  it("are hashed as the service hashes them", async () => {
    const widest = signedWithTestKey(
      {
        ...dataRequest,
        execGasLimit: u64,
        tallyGasLimit: u64,
        gasPrice: u128,
        replicationFactor: 65_535,
        tallyInputs: "ff".repeat(1_000),
        memo: "00",
        consensusFilter: ""
      },
      {
        ...dataResult,
        consensus: false,
        exitCode: 255,
        result: "ab".repeat(3_000),
        blockHeight: u64,
        blockTimestamp: u64,
        gasUsed: u128,
        paybackAddress: "01",
        sedaPayload: "02".repeat(33)
      }
    )
    expect(await verdict(ours, widest)).toBe("None")
    const zeros = { ...dataResult, result: "", blockTimestamp: "0", gasUsed: "0" }
    expect(await verdict(ours, signedWithTestKey(dataRequest, zeros))).toBe("None")
  })

  it("beyond them cannot be encoded", async () => {
    for (const beyond of [{ exitCode: 256 }, { gasUsed: String(2n ** 128n) }, { blockTimestamp: String(2n ** 64n) }]) {
      expect(await verdict(mainnet, { ...livePart, dataResult: { ...dataResult, ...beyond } })).toBe("Revert")
    }
    for (const beyond of [{ replicationFactor: 65_536 }, { execGasLimit: String(2n ** 64n) }]) {
      expect(await verdict(mainnet, { ...livePart, dataRequest: { ...dataRequest, ...beyond } })).toBe("Revert")
    }
  })
})

describe("the contract", () => {
  it("is not deployed without a signer: the zero address would accept anything", async () => {
    await expect(deployVerifier(contract, `0x${"00".repeat(20)}`)).rejects.toThrow("not deployed")
  })

  it("takes less gas than its documentation says", async () => {
    const { gas, transactionGas } = await mainnet.ask(livePart)
    expect(gas).toBeGreaterThan(3_000n)
    expect(gas).toBeLessThan(30_000n)
    expect(transactionGas).toBeLessThan(100_000n)
  })
})
