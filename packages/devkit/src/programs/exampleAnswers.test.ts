/** The example programs' responses in the public network's profile: its members in its order, compact, under 8 KiB. */
import { toWebHandler } from "@sibyl/core"
import { dataKeys, dataRequestKeys, dataResultKeys, type MemoryService, openMemoryService, phaseKeys } from "@sibyl/testing"
import { layerProgramRuntime } from "@sibyl/vm"
import { layerHttpFetch } from "@sibyl/vm/http"
import { Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Market, startMarket } from "../market/market.ts"
import { equityFeeds, marketFeeds } from "../market/marketFeeds.ts"
import { buildTimeoutMs, builtProgram } from "./testdata/builtProgram.ts"

const btc = marketFeeds[0]?.id ?? ""
const sessions = equityFeeds[0]?.sessionIds ?? []

const requests = [
  { name: "crypto price as uint256", program: "crypto-price", inputs: { id: btc }, isNumber: true },
  {
    name: "crypto price as JSON",
    program: "crypto-price",
    inputs: { id: btc, output_format: "json" },
    isNumber: false
  },
  { name: "metals index as uint256", program: "metals-index", inputs: {}, isNumber: true },
  { name: "metals index as JSON", program: "metals-index", inputs: { output_format: "json" }, isNumber: false },
  {
    name: "equity session",
    program: "equity-session",
    inputs: { session_ids: sessions.map((id) => `0x${id}`), weights: [50, 60, 70, 80] },
    isNumber: false
  }
] as const

const programNames = [...new Set(requests.map(({ program }) => program))]

let market: Market
let memory: MemoryService
let key: string
let handle: ReturnType<typeof toWebHandler>
const ids = new Map<string, string>()

beforeAll(async () => {
  market = await startMarket({ seed: 8 })
  memory = await openMemoryService(
    layerProgramRuntime({ workers: 1 }).pipe(Layer.provide(layerHttpFetch({ hostOverrides: { "hermes.pyth.network": market.url } }))),
    { profile: "public-network" }
  )
  handle = toWebHandler(memory.service)
  for (const name of programNames) ids.set(name, await memory.deploy(await builtProgram(name)))
  const { projectId } = await memory.createProject({ organizationSlug: "examples" })
  await memory.grant(projectId, 1_000_000n)
  key = await memory.issueKey(projectId)
}, buildTimeoutMs)

afterAll(async () => {
  await memory.close()
  await market.close()
})

interface Phase {
  readonly exitCode: number
}

interface Envelope {
  readonly _tag: string
  readonly data: {
    readonly dataRequest: object
    readonly dataResult: { readonly result: string; readonly exitCode: number }
    readonly result: unknown
    readonly execute?: Phase
    readonly tally?: Phase
  }
}

const execute = async (program: string, inputs: object, more: object): Promise<{ text: string; json: Envelope }> => {
  const body = JSON.stringify({ execProgramId: ids.get(program), execInputs: inputs, ...more })
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const response = await handle(new Request("http://service/execute", { method: "POST", headers, body }))
  const text = (await response?.text()) ?? ""
  expect(response?.status, text).toBe(200)
  return { text, json: JSON.parse(text) as Envelope }
}

const keysOf = (value: object | undefined): ReadonlyArray<string> => Object.keys(value ?? {})

describe.each(requests)("$name", ({ inputs, isNumber, program }) => {
  it.each(["hex", "base64", "utf8", "json"])("has the network's members in %s, compact and short", async (encoding) => {
    const { json, text } = await execute(program, inputs, { encoding })
    expect(keysOf(json)).toEqual(["_tag", "data"])
    expect(json._tag).toBe("ExecuteResponse")
    expect(keysOf(json.data)).toEqual(dataKeys)
    expect(keysOf(json.data.dataRequest)).toEqual(dataRequestKeys)
    expect(keysOf(json.data.dataResult)).toEqual([...dataResultKeys, "sedaPayload"])
    // Numbers are the program's own text, so this looks for white space outside of strings instead of printing again.
    expect(text.replaceAll(/"(?:[^"\\]|\\.)*"/g, "")).not.toMatch(/\s/)
    expect(Buffer.byteLength(text)).toBeLessThan(8_192)
    if (isNumber) {
      expect(json.data.dataResult.result).toMatch(/^[0-9a-f]{64}$/)
      // Between a cent and ten million dollars, times 10^8: the scale is that of the interface.
      expect(BigInt(`0x${json.data.dataResult.result}`)).toBeGreaterThan(10n ** 6n)
      expect(BigInt(`0x${json.data.dataResult.result}`)).toBeLessThan(10n ** 15n)
    }
  })

  it("has the phases inside data only, with debug information", async () => {
    const { json } = await execute(program, inputs, { includeDebugInfo: true })
    expect(keysOf(json)).toEqual(["_tag", "data"])
    expect(keysOf(json.data)).toEqual([...dataKeys, "execute", "tally"])
    expect(keysOf(json.data.execute)).toEqual(phaseKeys)
    expect(keysOf(json.data.tally)).toEqual(phaseKeys)
  })
})
