/** The metals index: its rules about weights, every refusal, and its arithmetic against an independent model. */
import { toHex } from "@sibyl/core/internal"
import * as fc from "fast-check"
import { beforeAll, describe, expect, test } from "vitest"
import { type BareOutcome, type BareRun, type CannedAnswer, runBare } from "./testdata/bareHost.ts"
import { buildTimeoutMs, builtProgram } from "./testdata/builtProgram.ts"
import { inputsHex, refused, succeeded, text, uint256 } from "./testdata/endings.ts"
import { type Fraction, fractionOf, plus, printed, roundedTo, scaled, times } from "./testdata/exactNumbers.ts"
import { hermesAnswer, type HermesPrice } from "./testdata/hermesAnswer.ts"

const metals = ["gold", "silver", "platinum", "palladium"] as const
const ids = [
  "765d2ba906dbc32ca17cc11f5310a89e9ee1f6420508c63861f2f8ba4ee34bb2",
  "f2fb02c32b055c805e7238d628e5e9dadef274376114eb1f012337cabe93871e",
  "398e4bbc7cbf89d6648c21e08019d878967677753b3096799595c78f805a34e5",
  "80367e9664197f37d89a07a804dffd2101c479c7c4e8490501bc9d9e1e7f9021"
]
const publishTime = 1_763_640_000
const clockMs = publishTime * 1_000 + 500

let program: WebAssembly.Module
beforeAll(async () => {
  program = new WebAssembly.Module(await builtProgram("metals-index"))
}, buildTimeoutMs)

const usual = [
  ["3345678", -3],
  ["3812345", -5],
  ["135678901", -5],
  ["113456789", -5]
] as const

/** The default prices, with changes to one of them. */
const prices = (at = 0, change: Partial<HermesPrice> = {}): ReadonlyArray<HermesPrice> =>
  usual.map(([price, expo], index) => ({
    id: ids[index] ?? "",
    price,
    expo,
    publishTime,
    ...(index === at ? change : {})
  }))

const execute = (inputs: unknown, answer: CannedAnswer = hermesAnswer(prices()), changes: Partial<BareRun> = {}): BareOutcome =>
  runBare(program, { phase: "dr", args: [inputsHex(inputs)], clockMs, answer: () => answer, ...changes })

const json = (inputs: object, answer?: CannedAnswer): string => text(execute({ ...inputs, output_format: "json" }, answer))

describe("the index", () => {
  test("weighs the four metals equally by default, with {} as with no inputs", () => {
    for (const inputs of [{}, "", " {} "]) {
      const outcome = execute(inputs)
      expect(outcome).toMatchObject(succeeded)
      expect(toHex(outcome.result)).toBe(uint256(146_878_958_750n))
    }
    expect(json({})).toBe('{"index":1468.7895875}')
  })

  test("accepts a single metal, and any weights that sum to 100", () => {
    expect(json({ weights: { gold: 100, silver: 0, platinum: 0, palladium: 0 } })).toBe('{"index":3345.678}')
    expect(json({ weights: { gold: 50, silver: 30, platinum: 15, palladium: 5 } })).toBe('{"index":1944.522781}')
    expect(json({ weights: { palladium: 0.1, gold: 33.3, silver: 33.3, platinum: 33.3, copper: 7 } })).toBe('{"index":1579.75119107}')
  })

  test("adds weights as decimals, where doubles would miss 100", () => {
    expect(12.7 + 19.9 + 3.3 + 64.1).not.toBe(100)
    expect(json({ weights: { gold: 12.7, silver: 19.9, platinum: 3.3, palladium: 64.1 } })).toBe('{"index":1204.51972737}')
    const spelled = '{"gold":0.1,"silver":0.20,"platinum":1e-1,"palladium":996E-1}'
    expect(text(execute(`{"weights":${spelled},"output_format":"json"}`))).toBe('{"index":1134.80833235}')
  })

  test("asks for the four feeds in one request", () => {
    const { actions, calls } = execute({})
    const query = ids.map((id) => `ids%5B%5D=${id}&`).join("")
    expect(actions.map(({ url }) => url)).toEqual([`https://hermes.pyth.network/v2/updates/price/latest?${query}parsed=true`])
    expect(calls).toEqual({
      args_sizes_get: 1,
      args_get: 1,
      http_fetch: 1,
      call_result_write: 1,
      clock_time_get: 1,
      execution_result: 1
    })
  })

  test("finds the metals in any order", () => {
    expect(toHex(execute({}, hermesAnswer(prices().toReversed())).result)).toBe(uint256(146_878_958_750n))
  })

  test("accepts prices of exactly 72 hours, each of them", () => {
    const limit = publishTime - 72 * 3_600
    for (const [at, metal] of metals.entries()) {
      const old = (time: number) => execute({}, hermesAnswer(prices(at, { publishTime: time })), { clockMs: publishTime * 1_000 })
      expect(old(limit)).toMatchObject(succeeded)
      expect(old(limit - 1)).toMatchObject(refused(`the ${metal} price is older than 259200 seconds`))
    }
  })
})

describe("the index refuses", () => {
  const weights = (change: object) => ({ weights: { gold: 25, silver: 25, platinum: 25, palladium: 25, ...change } })
  const places = "is not a number from 0 to 100 with at most 36 decimal places"

  test.each<[string, unknown]>([
    ["weights must sum to 100, not 99.9", weights({ gold: 24.9 })],
    ["weights must sum to 100, not 100.1", weights({ silver: 25.1 })],
    [
      "weights must sum to 100, not 100.000000000000000000000000000000000001",
      `{"weights":{"gold":25,"silver":25,"platinum":25,"palladium":25.${"0".repeat(35)}1}}`
    ],
    ["weights must sum to 100, not 0", weights({ gold: 0, silver: 0, platinum: 0, palladium: 0 })],
    ["weights must sum to 100, not 400", weights({ gold: 100, silver: 100, platinum: 100, palladium: 100 })],
    [`weights.gold ${places}`, weights({ gold: 125, silver: 0, platinum: 0, palladium: -25 })],
    [`weights.palladium ${places}`, weights({ gold: 75, silver: 25, platinum: 25, palladium: -25 })],
    [`weights.silver ${places}`, weights({ silver: "25" })],
    [`weights.silver ${places}`, weights({ silver: null })],
    [`weights.platinum ${places}`, '{"weights":{"gold":1,"silver":1,"platinum":1e999999999}}'],
    ["weights.palladium is missing", { weights: { gold: 50, silver: 25, platinum: 25 } }],
    ["weights.gold is missing", { weights: {} }],
    ["weights is not an object", { weights: [25, 25, 25, 25] }],
    ["weights is not an object", { weights: null }],
    ["output_format is not json", { output_format: "xml" }],
    ["output_format is not json", { output_format: null }],
    ["the inputs are not a JSON object", []],
    ["the inputs are not a JSON object", "{"]
  ])("%s", (line, inputs) => {
    const outcome = execute(inputs)
    expect(outcome).toMatchObject(refused(line))
    expect(outcome.actions).toEqual([])
  })

  test.each<[string, CannedAnswer]>([
    ["the price service answered with status 404", { status: 404, body: "Price ids not found" }],
    ["the price service answered with status 429", { status: 429, body: "" }],
    ["the price service answered with status 500", { status: 500, body: "" }],
    ["the price service did not answer: time limit exceeded (2000ms)", "time limit exceeded (2000ms)"],
    ["the price service's answer is not JSON", { status: 200, body: '{"parsed":[' }],
    ["the price service's answer lacks the gold price", { status: 200, body: '{"parsed":[]}' }],
    ["the price service's answer lacks the palladium price", hermesAnswer(prices().slice(0, 3))],
    ["the silver price is not positive", hermesAnswer(prices(1, { price: "-1" }))],
    ["the platinum price is not positive", hermesAnswer(prices(2, { price: "0" }))],
    ["the platinum price is not a number", hermesAnswer(prices(2, { price: "NaN" }))],
    ["the palladium price's expo is not an integer", hermesAnswer(prices(3, { expo: "-5" }))],
    ["the gold price's publish_time is not an integer", hermesAnswer(prices(0, { publishTime: null }))],
    ["the index does not fit 256 bits", hermesAnswer(prices(0, { expo: 1_000_000 }))],
    ["the index does not fit 256 bits", hermesAnswer(prices(0, { expo: -1_000_000 }))]
  ])("%s", (line, answer) => expect(execute({}, answer)).toMatchObject(refused(line)))

  test("an index that rounds to nothing", () => {
    const tiny = hermesAnswer(prices().map((price) => ({ ...price, price: "1", expo: -20 })))
    expect(execute({}, tiny)).toMatchObject(refused("the index rounds to zero at 10^-8"))
  })
})

/** Four weights with up to ten places that sum to 100, as JSON texts. */
const fourWeights = fc.record({ places: fc.nat(10), cuts: fc.tuple(fc.nat(), fc.nat(), fc.nat()) }).map(({ cuts, places }) => {
  const whole = 100n * 10n ** BigInt(places)
  const [a = 0n, b = 0n, c = 0n] = cuts
    .map((cut) => (BigInt(cut) * 7_919n * 10n ** BigInt(places)) % (whole + 1n))
    .toSorted((x, y) => (x < y ? -1 : x > y ? 1 : 0))
  return [a, b - a, c - b, whole - c].map((part) => printed(part, -places))
})

describe("the arithmetic", () => {
  const price = fc.record({ mantissa: fc.bigInt(1n, 2n ** 63n - 1n), expo: fc.integer({ min: -18, max: 4 }) })

  test("equals the model's, in both formats, to the last digit", () => {
    fc.assert(
      fc.property(fourWeights, fc.tuple(price, price, price, price), (weights, four) => {
        const index = four.reduce<Fraction>(
          (sum, { expo, mantissa }, at) => plus(sum, times(fractionOf(weights[at] ?? ""), scaled(mantissa, expo - 2))),
          scaled(0n, 0)
        )
        const units = roundedTo(index, -8)
        const answer = hermesAnswer(
          four.map(({ expo, mantissa }, at) => ({ id: ids[at] ?? "", price: String(mantissa), expo, publishTime }))
        )
        const given = metals.map((metal, at) => `"${metal}":${weights[at]}`).join(",")
        const evm = execute(`{"weights":{${given}}}`, answer)
        const printedIndex = execute(`{"output_format":"json","weights":{${given}}}`, answer)
        if (units === 0n) {
          expect(evm).toMatchObject(refused("the index rounds to zero at 10^-8"))
        } else {
          expect(toHex(evm.result)).toBe(uint256(units))
          expect(text(printedIndex)).toBe(`{"index":${printed(units, -8)}}`)
        }
      }),
      { numRuns: 300 }
    )
  })

  test("rounds half to even, once, at the end", () => {
    const quarter = (mantissas: ReadonlyArray<number>) =>
      json({}, hermesAnswer(prices().map((each, at) => ({ ...each, price: String(mantissas[at]), expo: -8 }))))
    // Quarters of 10^-8: ties at two of them.
    expect(quarter([1, 1, 3, 5])).toBe('{"index":0.00000002}')
    expect(quarter([1, 1, 4, 8])).toBe('{"index":0.00000004}')
    expect(quarter([1, 1, 1, 7])).toBe('{"index":0.00000002}')
    expect(quarter([1, 1, 1, 8])).toBe('{"index":0.00000003}')
  })
})

describe("the tally phase", () => {
  const tally = (reveals: ReadonlyArray<string>): BareOutcome => {
    const items = reveals.map((reveal) => ({ reveal: [...new TextEncoder().encode(reveal)], exit_code: 0 }))
    return runBare(program, { phase: "tally", args: ["", JSON.stringify(items), JSON.stringify(items.map(() => 0))] })
  }

  test("returns a single reveal unchanged, and the median of several", () => {
    expect(text(tally(["anything"]))).toBe("anything")
    expect(text(tally(['{"index":3}', '{"index":1}', '{"index":2.5}']))).toBe('{"index":2.5}')
    expect(tally(['{"price":3}', '{"price":1}'])).toMatchObject(refused("a reveal has no index"))
  })
})
