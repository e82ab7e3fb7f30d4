/** With the public network's profile, its recorded runs give exactly its bytes (decisions D2, D27). */
import { describe, expect, it } from "vitest"
import type { ResultEncoding } from "../../domain/encoding/resultEncoding.ts"
import { emptyBalance } from "../../domain/credits/balance.ts"
import { fromUtf8 } from "../../domain/encoding/bytes.ts"
import type { ExecutionReport } from "../../domain/reports/executionReport.ts"
import { writeResponse } from "../../domain/encoding/responseJson.ts"
import { resolveOptions } from "../../services/settings/serviceOptions.ts"
import { aReport } from "../../testdata/reports.ts"
import { golden, requestOf, resultOf } from "../../testdata/vectors.ts"
import { executionView } from "./executionView.ts"

const service = resolveOptions({ network: { name: "mainnet", chainId: "seda-1" }, profile: "public-network" })

type Sample = (typeof golden.liveServiceSamples)[number]

/** The report behind the recorded response. The golden data leave the phases' logs out. */
const reportOf = (sample: Sample): ExecutionReport => {
  const { execGasUsed, name, signature, tallyGasUsed } = sample
  const dataResult = resultOf(sample.dataResult)
  const phase = (gasUsed: string) => ({
    result: dataResult.result,
    gasUsed: BigInt(gasUsed),
    stdout: "",
    stderr: "",
    exitCode: 0
  })
  return {
    ...aReport,
    id: name,
    dataRequest: requestOf(sample.dataRequest),
    dataResult,
    signature,
    execute: phase(execGasUsed),
    tally: phase(tallyGasUsed)
  }
}

const textOf = (sample: Sample, encoding: ResultEncoding): string =>
  writeResponse(
    executionView(
      { report: reportOf(sample), balance: emptyBalance, cached: false, options: { includeDebugInfo: true, encoding } },
      service
    )
  )

/** The samples of the mainnet are recorded in the order of their keys, the one of the testnet is not. */
const ordered = golden.liveServiceSamples.filter(({ network }) => network === "mainnet")

describe("the public network's profile", () => {
  it("writes request, result and signature of a recorded response to the byte", () => {
    expect(ordered).toHaveLength(3)
    for (const sample of ordered) {
      // The network's program names have no counterpart here, so what it adds for a name is left out.
      const { execOnsName, ...dataRequest } = { execOnsName: undefined, ...sample.dataRequest }
      const { dataResult, name, signature } = sample
      const recorded = JSON.stringify({ id: name, requestId: name, dataRequest, dataResult, signature }).slice(0, -1)
      const result = Buffer.from(dataResult.result, "hex").toString()
      expect(execOnsName === undefined || sample.execProgramIdSent === execOnsName).toBe(true)
      expect(textOf(sample, "json").startsWith(`{"_tag":"ExecuteResponse","data":${recorded},"result":${result},"execute":{`)).toBe(true)
    }
  })

  it("is shorter than the reported length by exactly the logs that the golden data leave out", () => {
    // The reported length cannot be rebuilt: the stdout and stderr texts of these responses are not in the golden data.
    // What is missing (and must be those texts) was counted once, outside this code, from the recorded fields; one byte
    // more or fewer in ours shows.
    const missing = [101, 244, 183]
    for (const [index, sample] of ordered.entries()) {
      const { execOnsName } = { execOnsName: undefined, ...sample.dataRequest }
      const named = execOnsName === undefined ? 0 : `"execOnsName":"${execOnsName}",`.length
      const written = fromUtf8(textOf(sample, "json")).length + named
      expect((sample.expect.compactJsonBytes ?? 0) - written, sample.name).toBe(missing[index])
    }
  })

  it("keeps a recorded response's values if only its order is lost", () => {
    const sample = golden.liveServiceSamples.find(({ network }) => network === "testnet")
    if (sample === undefined) throw new Error("there is no testnet sample")
    const { data } = JSON.parse(textOf(sample, "hex")) as { readonly data: Readonly<Record<string, unknown>> }
    expect(data).toMatchObject({
      dataRequest: sample.dataRequest,
      dataResult: sample.dataResult,
      signature: sample.signature
    })
    expect(data["result"]).toBe(`0x${sample.dataResult.result}`)
  })
})
