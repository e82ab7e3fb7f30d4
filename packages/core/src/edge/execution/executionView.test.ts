/** A run as a client receives it: nesting, order of every key, encodings and summary (decisions D1 to D3, D12, D16). */
import { describe, expect, it } from "vitest"
import type { ExecuteOptions } from "../../contract/executeParams.ts"
import { emptyBalance } from "../../domain/credits/balance.ts"
import { fromUtf8 } from "../../domain/encoding/bytes.ts"
import type { ExecutionReport } from "../../domain/reports/executionReport.ts"
import { writeResponse } from "../../domain/encoding/responseJson.ts"
import { resolveOptions, type ServiceOptions } from "../../services/settings/serviceOptions.ts"
import { aPhase, aReport } from "../../testdata/reports.ts"
import { executionView } from "./executionView.ts"

const network = { name: "local", chainId: "local-1" }
const balance = { ...emptyBalance, granted: 100n, used: 42n, held: 8n }

interface Shown {
  readonly report?: ExecutionReport
  readonly options?: ExecuteOptions
  readonly service?: Partial<ServiceOptions>
  readonly cached?: boolean
  readonly beside?: boolean
}

const textOf = ({ beside, cached = false, options = {}, report = aReport, service = {} }: Shown): string =>
  writeResponse(executionView({ report, balance, cached, options }, resolveOptions({ network, ...service }), beside))

type View = { readonly [name: string]: View }

const view = (shown: Shown): View => JSON.parse(textOf(shown)) as View

const dataRequestKeys = [
  "consensusFilter",
  "execGasLimit",
  "execInputs",
  "execProgramId",
  "gasPrice",
  "memo",
  "replicationFactor",
  "tallyGasLimit",
  "tallyInputs",
  "tallyProgramId",
  "version"
]
const dataResultKeys = ["drId", "gasUsed", "blockHeight", "blockTimestamp", "consensus", "exitCode", "version", "result", "paybackAddress"]
const basicKeys = ["id", "requestId", "dataRequest", "dataResult", "signature", "result"]
const debug = { includeDebugInfo: true }

const keys = (value: View | undefined): ReadonlyArray<string> => Object.keys(value ?? {})

const skipped: ExecutionReport = {
  ...aReport,
  dataResult: { ...aReport.dataResult, exitCode: 7 },
  execute: { ...aPhase, exitCode: 7 },
  tally: null
}

describe("nesting and order of keys (D1)", () => {
  it("has everything inside data, in the network's order", () => {
    const shown = view({})
    expect(keys(shown)).toEqual(["_tag", "data"])
    expect(shown["_tag"]).toBe("ExecuteResponse")
    expect(keys(shown["data"])).toEqual(basicKeys)
    expect(keys(shown["data"]?.["dataRequest"])).toEqual(dataRequestKeys)
    expect(keys(shown["data"]?.["dataResult"])).toEqual([...dataResultKeys, "servicePayload"])
    expect(shown["data"]?.["requestId"]).toBe(shown["data"]?.["id"])
  })

  it("adds the phases with debug info, and the same objects beside data after it", () => {
    const shown = view({ options: debug })
    expect(keys(shown["data"])).toEqual([...basicKeys, "execute", "tally"])
    expect(keys(shown["data"]?.["execute"])).toEqual(["result", "gasUsed", "stdout", "stderr", "exitCode"])
    expect(keys(shown["data"]?.["tally"])).toEqual(["result", "gasUsed", "stdout", "stderr", "exitCode"])
    const copies = [...basicKeys.slice(2), "execute", "tally"]
    expect(keys(shown)).toEqual(["_tag", "data", ...copies])
    for (const name of copies) expect(shown[name]).toEqual(shown["data"]?.[name])
  })

  it("leaves the copies out if they are switched off, and where they never belong", () => {
    expect(keys(view({ options: debug, service: { debugBeside: false } }))).toEqual(["_tag", "data"])
    expect(keys(view({ options: debug, beside: false }))).toEqual(["_tag", "data"])
    expect(keys(view({ options: { includeSummary: true } }))).toEqual(["_tag", "data"])
  })

  it("has no tally when it was skipped", () => {
    const shown = view({ options: debug, report: skipped })
    expect(keys(shown["data"])).toEqual([...basicKeys, "execute"])
    expect(keys(shown)).toEqual(["_tag", "error", "message", "data", ...basicKeys.slice(2), "execute"])
  })
})

describe("the last payload field (D2)", () => {
  it("has the name that the service chose, or the profile's", () => {
    const names = (service: Partial<ServiceOptions>) => keys(view({ service })["data"]?.["dataResult"]).slice(dataResultKeys.length)
    expect(names({})).toEqual(["servicePayload"])
    expect(names({ payloadField: "sedaPayload" })).toEqual(["sedaPayload"])
    expect(names({ payloadField: "both" })).toEqual(["servicePayload", "sedaPayload"])
    expect(names({ profile: "public-network" })).toEqual(["sedaPayload"])
    expect(names({ profile: "public-network", payloadField: "both" })).toEqual(["servicePayload", "sedaPayload"])
  })
})

describe("encodings (D3)", () => {
  it("apply to the copies of the result and never to dataResult.result", () => {
    const hex = Buffer.from(aPhase.result).toString("hex")
    const shownAs = {
      hex: `"0x${hex}"`,
      base64: JSON.stringify(Buffer.from(aPhase.result).toString("base64")),
      utf8: JSON.stringify('{"price": 1.50}'),
      json: '{"price": 1.50}'
    } as const
    for (const encoding of ["hex", "base64", "utf8", "json"] as const) {
      const text = textOf({ options: { ...debug, encoding }, service: { debugBeside: false } })
      expect(text.split(`"result":${shownAs[encoding]}`), encoding).toHaveLength(4)
      expect(text).toContain(`"version":"0.0.1","result":"${hex}"`)
    }
  })

  it("show bytes that are not JSON as hex", () => {
    const report = { ...aReport, dataResult: { ...aReport.dataResult, result: fromUtf8("{") } }
    expect(view({ report, options: { encoding: "json" } })["data"]?.["result"]).toBe("0x7b")
  })
})

describe("the summary (D12)", () => {
  it("shows what was used, what remains and the parts of both", () => {
    const shown = view({ options: { includeSummary: true, ...debug } })["data"]
    expect(keys(shown)).toEqual([...basicKeys, "execute", "tally", "summary"])
    expect(shown?.["summary"]).toEqual({
      creditsUsed: "42",
      creditsRemaining: "50",
      cost: { base: "1", gas: "35", dataProxies: "6", total: "42" },
      gasUsed: { exec: "24235163456250", tally: "10703371275000" },
      dataProxies: [{ publicKey: aReport.proxies[0]?.publicKey, fee: "3", calls: 2 }],
      durationMs: 632
    })
    expect(keys(shown?.["summary"])).toEqual(["creditsUsed", "creditsRemaining", "cost", "gasUsed", "dataProxies", "durationMs"])
  })

  it("shows that a stored result cost nothing", () => {
    const summary = view({ cached: true, options: { includeSummary: true } })["data"]?.["summary"]
    expect(summary?.["creditsUsed"]).toBe("0")
  })

  it("counts no tally gas when it was skipped", () => {
    const summary = view({ report: skipped, options: { includeSummary: true } })["data"]?.["summary"]
    expect(summary?.["gasUsed"]).toEqual({ exec: "24235163456250", tally: "0" })
  })
})

describe("a failed execution (D16)", () => {
  it("has its own tag, its record in data, and one text under two names", () => {
    const shown = view({ report: skipped })
    expect(keys(shown)).toEqual(["_tag", "error", "message", "data"])
    expect(shown["_tag"]).toBe("FailedExecutionResponse")
    expect(keys(shown["data"])).toEqual(basicKeys)
    expect(shown["error"]).toBe("The execution phase ended with exit code 7.")
    expect(shown["message"]).toBe(shown["error"])
  })

  it("names the tally when the tally failed", () => {
    const report = {
      ...aReport,
      dataResult: { ...aReport.dataResult, exitCode: 255 },
      tally: { ...aPhase, exitCode: 1_000 }
    }
    const shown = view({ report, options: debug, service: { debugBeside: false } })
    expect(shown["error"]).toBe("The tally phase ended with exit code 1000.")
    expect(shown["data"]?.["tally"]?.["exitCode"]).toBe(1_000)
    expect(shown["data"]?.["dataResult"]?.["exitCode"]).toBe(255)
  })
})
