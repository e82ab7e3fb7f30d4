/** The example programs against a simulated market over real HTTP: every known feed and every fault. */
import { defaultGasLimits, defaultLimits, type PhaseOutcome, ProgramRuntime, programIdOf } from "@sibyl/core"
import { layerProgramRuntime } from "@sibyl/vm"
import { layerHttpFetch } from "@sibyl/vm/http"
import { Effect, Layer, ManagedRuntime } from "effect"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { type Market, startMarket } from "../market/market.ts"
import { type MarketFault, marketFaults } from "../market/marketFault.ts"
import { equityFeeds, marketFeeds } from "../market/marketFeeds.ts"
import { buildTimeoutMs, builtProgram } from "./testdata/builtProgram.ts"
import { inputsHex, text } from "./testdata/endings.ts"
import { printed } from "./testdata/exactNumbers.ts"

const names = ["crypto-price", "metals-index", "equity-session"] as const
type Name = (typeof names)[number]

const openRuntime = (hermes: string) =>
  ManagedRuntime.make(
    layerProgramRuntime({ workers: 1 }).pipe(Layer.provide(layerHttpFetch({ hostOverrides: { "hermes.pyth.network": hermes } })))
  )

const programs = new Map<string, Uint8Array>()
let market: Market
let runtime: ReturnType<typeof openRuntime>
beforeAll(async () => {
  for (const name of names) programs.set(name, await builtProgram(name))
  market = await startMarket({ seed: 20 })
  runtime = openRuntime(market.url)
}, buildTimeoutMs)
afterEach(() => market.setFault(undefined))
afterAll(async () => {
  await runtime.dispose()
  await market.close()
})

const btc = marketFeeds[0]?.id ?? ""
const aapl = equityFeeds[0]?.sessionIds ?? []
const usualInputs: Readonly<Record<Name, unknown>> = {
  "crypto-price": { id: btc, output_format: "json" },
  "metals-index": { output_format: "json" },
  "equity-session": { session_ids: aapl.map((id) => `0x${id}`), weights: [50, 60, 70, 80] }
}

const execute = (name: Name, inputs: unknown = usualInputs[name]): Promise<PhaseOutcome> => {
  const program = programs.get(name) ?? new Uint8Array()
  return runtime.runPromise(
    Effect.flatMap(ProgramRuntime, (runtime) =>
      runtime.run({
        phase: "exec",
        projectId: "project",
        programId: programIdOf(program),
        program,
        limits: defaultLimits,
        args: [inputsHex(inputs)],
        envs: [["VM_MODE", "dr"]],
        gasLimit: defaultGasLimits.exec
      })
    )
  )
}

test("every known feed has a price, exactly as in the market", async () => {
  for (const [at, { expo, id }] of marketFeeds.entries()) {
    const price = 123_456_789n + BigInt(at)
    market.setPrice(id, { price, expo })
    const outcome = await execute("crypto-price", { id, output_format: "json" })
    market.setPrice(id, undefined)
    expect(outcome).toMatchObject({ exitCode: 0, stderr: "" })
    expect(text(outcome)).toBe(`{"price":${printed(price, expo)}}`)
  }
})

test("every known equity has a rate", async () => {
  for (const { sessionIds } of equityFeeds) {
    const outcome = await execute("equity-session", { session_ids: sessionIds, weights: [25, 25, 25, 25] })
    expect(outcome).toMatchObject({ exitCode: 0, stderr: "" })
    const weights = { session: 0.25, reference: 0.75 }
    expect(JSON.parse(text(outcome))).toMatchObject({ price: { expo: -5 }, weights })
  }
})

/** The programs' message for each fault. */
const lines: Readonly<Record<MarketFault, RegExp>> = {
  missing: /^the price service answered with status 404\n$/,
  tooManyRequests: /^the price service answered with status 429\n$/,
  serverError: /^the price service answered with status 500\n$/,
  malformed: /^the price service's answer is not JSON\n$/,
  notJson: /^the price service's answer is not JSON\n$/,
  empty: /^the price service's answer lacks the (price|gold price|PREMARKET price)\n$/,
  stale: /^the (price is older than 60|gold price is older than 259200) seconds\n$/,
  negativePrice: /^the (price|gold price|PREMARKET price) is not positive\n$/,
  zeroPrice: /^the (price|gold price|PREMARKET price) is not positive\n$/,
  hugeExponent: /^the ((price|index) does not fit 256 bits|session price's expo is out of range)\n$/,
  hang: /^the price service did not answer: [^\n]*(timed out|timeout|time limit)[^\n]*\n$/i,
  reset: /^the price service did not answer: [^\n]+\n$/
}

describe.each(names)("%s", (name) => {
  test.each(marketFaults)("fails clearly with the market's fault %s", async (fault) => {
    market.setFault(fault)
    const outcome = await execute(name)
    // Of stale prices a session uses the newest, and reports it.
    if (fault === "stale" && name === "equity-session") {
      expect(outcome).toMatchObject({ exitCode: 0, stderr: "" })
      expect(JSON.parse(text(outcome))).toMatchObject({ was_stale: true })
    } else {
      expect(outcome).toMatchObject({ exitCode: 1, stdout: "", result: new Uint8Array() })
      expect(outcome.stderr).toMatch(lines[fault])
    }
  })

  test("answers again when the fault has ended", async () => {
    market.setFault("serverError")
    expect((await execute(name)).exitCode).toBe(1)
    market.setFault(undefined)
    expect(await execute(name)).toMatchObject({ exitCode: 0, stderr: "" })
  })
})

test("a fault of one metal, or of one session, is named", async () => {
  const silver = marketFeeds.find((feed) => feed.name === "XAG/USD")?.id ?? ""
  market.setFault("negativePrice", [silver, aapl[3] ?? ""])
  expect((await execute("metals-index")).stderr).toBe("the silver price is not positive\n")
  expect((await execute("equity-session")).stderr).toBe("the OVERNIGHT price is not positive\n")
  expect((await execute("crypto-price")).exitCode).toBe(0)
})
