/**
 * The arguments and environment of programs, in the network's order, which is part of the contract because it changes gas (decision D26).
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { aReport, aRequest } from "../../testdata/reports.ts"
import { fromUtf8 } from "../encoding/bytes.ts"
import { dataRequestIdOf } from "./dataRequestId.ts"
import { execPhaseInputs, type Reveal, tallyBaseOf, tallyPhaseInputs } from "./phaseInputs.ts"

const request = {
  ...aRequest,
  execInputs: fromUtf8("exec"),
  tallyInputs: fromUtf8("tally"),
  memo: fromUtf8("memo"),
  gasPrice: 7n
}
const drId = dataRequestIdOf(request)

describe("execPhaseInputs", () => {
  const base = [
    ["VM_MODE", "dr"],
    ["DR_ID", drId],
    ["DR_HEIGHT", "0"],
    ["EXEC_PROGRAM_ID", request.execProgramId],
    ["DR_REPLICATION_FACTOR", "1"],
    ["DR_GAS_PRICE", "7"],
    ["DR_EXEC_GAS_LIMIT", "300000000000000"],
    ["DR_TALLY_GAS_LIMIT", "50000000000000"],
    ["DR_MEMO", "6d656d6f"],
    ["DR_PAYBACK_ADDRESS", ""],
    ["TALLY_PROGRAM_ID", request.tallyProgramId],
    ["TALLY_INPUTS", "74616c6c79"],
    ["CHAIN_ID", "seda-1"]
  ]

  it("has the network's variables in order, then the chain id, and no last result if there is none", () => {
    expect(execPhaseInputs(request, "seda-1", 0n, undefined)).toEqual({ args: ["65786563"], envs: base })
  })

  it("names the chain and the height of the run, also when the request comes again", () => {
    const named = (chainId: string, height: bigint) => {
      const envs = new Map(execPhaseInputs(request, chainId, height, undefined).envs)
      return [envs.get("CHAIN_ID"), envs.get("DR_HEIGHT")]
    }
    for (const round of ["first", "again"]) {
      expect([named("seda-1", 1n), named("seda-1", 2n), named("other", 2n)], round).toEqual([
        ["seda-1", "1"],
        ["seda-1", "2"],
        ["other", "2"]
      ])
    }
  })

  it("appends the last result", () => {
    const result = fromUtf8("{}")
    const last = {
      ...aReport,
      dataResult: { ...aReport.dataResult, result, exitCode: 3, blockTimestamp: 1_774_850_103_632n }
    }
    expect(execPhaseInputs(request, "seda-1", 0n, last).envs).toEqual([
      ...base,
      ["LAST_RESULT", "7b7d"],
      ["LAST_RESULT_EXIT_CODE", "3"],
      ["LAST_RESULT_TIMESTAMP", "1774850103632"]
    ])
  })
})

describe("tallyPhaseInputs", () => {
  const reveal: Reveal = {
    result: Uint8Array.of(0, 255),
    exitCode: 1,
    gasUsed: 2n ** 63n,
    proxyPublicKeys: ["02ab", "03cd"]
  }
  const inputs = tallyPhaseInputs(tallyBaseOf(request), 9n, [reveal, { ...reveal, result: new Uint8Array(), proxyPublicKeys: [] }], {
    reached: true,
    outliers: [false, true]
  })

  it("has inputs, reveals and outliers as arguments", () => {
    const common = `"dr_id":"${drId}","dr_block_height":9,"exit_code":1,"gas_used":9223372036854775808`
    expect(inputs.args).toEqual([
      "74616c6c79",
      `[{"reveal":[0,255],${common},"proxy_public_keys":["02ab","03cd"]},{"reveal":[],${common},"proxy_public_keys":[]}]`,
      "[0,1]"
    ])
  })

  it("has the network's variables, sorted by name", () => {
    expect(inputs.envs).toEqual([
      ["BLOCK_HEIGHT", "9"],
      ["CONSENSUS", "true"],
      ["DR_GAS_PRICE", "7"],
      ["DR_ID", drId],
      ["DR_MEMO", "bWVtbw=="],
      ["DR_PAYBACK_ADDRESS", ""],
      ["DR_REPLICATION_FACTOR", "1"],
      ["DR_TALLY_GAS_LIMIT", "50000000000000"],
      ["EXEC_GAS_LIMIT", "300000000000000"],
      ["EXEC_INPUTS", "ZXhlYw=="],
      ["EXEC_PROGRAM_ID", request.execProgramId],
      ["TALLY_INPUTS", "dGFsbHk="],
      ["TALLY_PROGRAM_ID", request.tallyProgramId],
      ["VM_MODE", "tally"]
    ])
  })

  it("passes every reveal to the tally as JSON without loss", () => {
    const someReveal = fc.record({
      result: fc.uint8Array({ maxLength: 40 }),
      exitCode: fc.integer({ min: 0, max: 255 }),
      gasUsed: fc.bigUint({ max: 2n ** 53n - 1n }),
      proxyPublicKeys: fc.array(fc.hexaString({ minLength: 66, maxLength: 66 }), { maxLength: 3 })
    })
    fc.assert(
      fc.property(fc.array(fc.tuple(someReveal, fc.boolean()), { maxLength: 4 }), (shown) => {
        const outliers = shown.map(([, outlier]) => outlier)
        const { args } = tallyPhaseInputs(
          tallyBaseOf(request),
          0n,
          shown.map(([one]) => one),
          { reached: false, outliers }
        )
        expect(JSON.parse(args[1] ?? "")).toEqual(
          shown.map(([one]) => ({
            reveal: [...one.result],
            dr_id: drId,
            dr_block_height: 0,
            exit_code: one.exitCode,
            gas_used: Number(one.gasUsed),
            proxy_public_keys: one.proxyPublicKeys
          }))
        )
        expect(JSON.parse(args[2] ?? "")).toEqual(outliers.map(Number))
      })
    )
  })
})
