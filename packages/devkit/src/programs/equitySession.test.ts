/** The equity session program: sessions to the second, stale prices, every refusal, and comparison with a model. */
import * as fc from "fast-check"
import { beforeAll, describe, expect, test } from "vitest"
import { type BareOutcome, type CannedAnswer, runBare } from "./testdata/bareHost.ts"
import { buildTimeoutMs, builtProgram } from "./testdata/builtProgram.ts"
import { inputsHex, refused, succeeded, text } from "./testdata/endings.ts"
import { equityResult, sessionAt, type SessionPrice, sessions, weightsRefusal } from "./testdata/equityModel.ts"
import { printed } from "./testdata/exactNumbers.ts"
import { hermesAnswer, type HermesPrice } from "./testdata/hermesAnswer.ts"

const ids = ["1a", "2b", "3c", "4d"].map((digits) => digits.repeat(32))
const source = `https://hermes.pyth.network/v2/updates/price/latest?${ids.map((id) => `ids%5B%5D=${id}&`).join("")}parsed=true`

let program: WebAssembly.Module
beforeAll(async () => {
  program = new WebAssembly.Module(await builtProgram("equity-session"))
}, buildTimeoutMs)

const inputs = { session_ids: ids.map((id) => `0x${id}`), weights: [60, 70, 80, 90] }

/** Inputs with the exact decimal text of the weights, which doubles could not hold. */
const weighing = (weights: string): string => `{"session_ids":${JSON.stringify(ids)},"weights":[${weights}]}`

const execute = (timeMs: number, answer: CannedAnswer, given: unknown = inputs): BareOutcome =>
  runBare(program, { phase: "dr", args: [inputsHex(given)], clockMs: timeMs, answer: () => answer })

/** Four prices a dollar apart, published the given seconds before a moment. */
const pricesAt = (timeMs: number, agesS: ReadonlyArray<number> = [0, 0, 0, 0]): ReadonlyArray<HermesPrice> =>
  ids.map((id, at) => ({
    id,
    price: String(10_000_000 + at * 100_000),
    expo: -5,
    publishTime: Math.floor(timeMs / 1_000) - (agesS[at] ?? 0)
  }))

interface EquityResult {
  readonly composite_rate: number
  readonly price: { readonly mantissa: string; readonly expo: number }
  readonly active_session: string
  readonly weights: { readonly session: number; readonly reference: number }
  readonly timestamp: string
  readonly sources_used: ReadonlyArray<string>
  readonly was_stale: boolean
  readonly market: string
  readonly weights_unit: string
}

const resultOf = (outcome: BareOutcome): EquityResult => {
  expect(outcome).toMatchObject(succeeded)
  return JSON.parse(text(outcome)) as EquityResult
}

const at = (iso: string, agesS?: ReadonlyArray<number>): EquityResult => {
  const timeMs = Date.parse(iso)
  return resultOf(execute(timeMs, hermesAnswer(pricesAt(timeMs, agesS))))
}

describe("the result", () => {
  test("has every field, in the documented order", () => {
    const timeMs = Date.parse("2025-11-20T12:00:00Z")
    expect(text(execute(timeMs, hermesAnswer(pricesAt(timeMs))))).toBe(
      '{"composite_rate":101.2,"price":{"mantissa":"10120000","expo":-5},"active_session":"PREMARKET",' +
        '"weights":{"session":0.6,"reference":0.4},"timestamp":"2025-11-20T12:00:00.000Z",' +
        `"sources_used":["${source}"],"was_stale":false,"market":"open","weights_unit":"fraction"}`
    )
  })

  test("mixes each session with the previous one, the first with the last", () => {
    // 100, 101, 102 and 103 dollars; weights 60, 70, 80 and 90 percent.
    expect(at("2025-11-20T09:00:00Z")).toMatchObject({ active_session: "PREMARKET", composite_rate: 101.2 })
    expect(at("2025-11-20T15:00:00Z")).toMatchObject({ active_session: "NORMAL", composite_rate: 100.7 })
    expect(at("2025-11-20T22:00:00Z")).toMatchObject({ active_session: "POSTMARKET", composite_rate: 101.8 })
    expect(at("2025-11-20T08:00:00Z")).toMatchObject({ active_session: "OVERNIGHT", composite_rate: 102.9 })
  })

  test("asks for all four feeds in one request, each once", () => {
    const timeMs = Date.parse("2025-11-20T15:00:00Z")
    const { actions } = execute(timeMs, hermesAnswer(pricesAt(timeMs)))
    expect(actions.map(({ url }) => url)).toEqual([source])
    const same = { session_ids: ids.map(() => ids[0]?.toUpperCase()), weights: [1, 2, 3, 4] }
    const single = execute(timeMs, hermesAnswer(pricesAt(timeMs)), same)
    expect(single.actions[0]?.url).toBe(source.replace(/(&ids[^&]*)+&/, "&"))
    expect(resultOf(single).composite_rate).toBe(100)
  })
})

describe("the session", () => {
  // A week of winter (UTC-5), from Sunday to Sunday, and one of summer (UTC-4): each boundary and the second before.
  const week: ReadonlyArray<readonly [day: number, time: string, before: string, after: string]> = [
    [0, "20:00:00", "closed", "OVERNIGHT"],
    ...[1, 2, 3, 4, 5].flatMap((day) => [
      [day, "04:00:00", "OVERNIGHT", "PREMARKET"] as const,
      [day, "09:30:00", "PREMARKET", "NORMAL"] as const,
      [day, "16:00:00", "NORMAL", "POSTMARKET"] as const,
      [day, "20:00:00", "POSTMARKET", day === 5 ? "closed" : "OVERNIGHT"] as const
    ]),
    [1, "00:00:00", "OVERNIGHT", "OVERNIGHT"],
    [5, "00:00:00", "OVERNIGHT", "OVERNIGHT"],
    [6, "00:00:00", "closed", "closed"],
    [6, "12:00:00", "closed", "closed"],
    [7, "04:00:00", "closed", "closed"],
    [7, "12:00:00", "closed", "closed"],
    [7, "20:00:00", "closed", "OVERNIGHT"]
  ]
  const named = ({ active_session, market, was_stale }: EquityResult) =>
    was_stale || market !== "open" ? `${market}, ${active_session}` : active_session
  const expected = (name: string) => (name === "closed" ? "closed, POSTMARKET" : name)

  test.each([
    ["2025-01-12", 5],
    ["2025-07-13", 4],
    ["1998-02-01", 5],
    ["1998-04-12", 4],
    ["2006-03-19", 5]
  ])("changes on the second in the week of %s", (sunday, hoursBehind) => {
    for (const [day, time, before, after] of week) {
      const start = Date.parse(`${sunday}T${time}Z`) + (day * 24 + hoursBehind) * 3_600_000
      const seconds = [-1, 0, 1].map((offset) => new Date(start + offset * 1_000).toISOString())
      expect(
        seconds.map((iso) => named(at(iso))),
        `${day} ${time}`
      ).toEqual([expected(before), expected(after), expected(after)])
      expect(named(at(new Date(start - 1).toISOString()))).toBe(expected(before))
    }
  })

  test.each([
    // The Sundays on which the clocks change, by the law of the time, and the previous Sunday.
    ["2025-03-02", 25],
    ["2025-03-09", 24],
    ["2025-10-26", 24],
    ["2025-11-02", 25],
    ["2007-03-04", 25],
    ["2007-03-11", 24],
    ["2007-10-28", 24],
    ["2007-11-04", 25],
    ["2006-03-26", 25],
    ["2006-04-02", 24],
    ["2006-10-22", 24],
    ["2006-10-29", 25],
    ["1986-04-20", 25],
    ["1986-04-27", 24],
    ["1987-03-29", 25],
    ["1987-04-05", 24],
    ["1973-10-21", 24],
    ["1973-10-28", 25],
    ["1974-01-06", 24],
    ["1974-10-20", 24],
    ["1974-10-27", 25],
    ["1975-02-16", 25],
    ["1975-02-23", 24],
    ["2100-03-14", 24],
    ["2400-11-05", 25]
  ])("of Sunday evening %s begins %i hours after its UTC midnight", (sunday, hours) => {
    const start = Date.parse(`${sunday}T00:00:00Z`) + hours * 3_600_000
    expect(named(at(new Date(start - 1_000).toISOString()))).toBe("closed, POSTMARKET")
    expect(named(at(new Date(start).toISOString()))).toBe("OVERNIGHT")
  })

  test("equals the model's at random instants of a hundred years, and around every boundary", () => {
    const any = fc.integer({ min: 0, max: 4_102_444_799 }).map((seconds) => seconds * 1_000)
    const boundary = fc
      .record({
        day: fc.integer({ min: 0, max: 47_481 }),
        hour: fc.constantFrom(0, 1, 2, 4, 9.5, 16, 20),
        behind: fc.constantFrom(4, 5),
        offsetMs: fc.constantFrom(-1_000, -1, 0, 1, 1_000)
      })
      .map(({ behind, day, hour, offsetMs }) => Math.max(0, (day * 24 + hour + behind) * 3_600_000 + offsetMs))
    fc.assert(
      fc.property(fc.oneof(any, boundary), (timeMs) => {
        const session = sessionAt(timeMs)
        const { active_session, market, was_stale } = resultOf(execute(timeMs, hermesAnswer(pricesAt(timeMs))))
        expect([timeMs, active_session, was_stale, market]).toEqual(
          session === undefined ? [timeMs, "POSTMARKET", true, "closed"] : [timeMs, sessions[session], false, "open"]
        )
      }),
      { numRuns: 600 }
    )
  })
})

describe("a stale price", () => {
  const noon = "2025-11-20T17:00:00Z"

  test("is one older than 60 seconds", () => {
    expect(at(noon, [0, 60, 0, 0])).toMatchObject({ was_stale: false, composite_rate: 100.7 })
    expect(at(noon, [90, 61, 90, 90])).toMatchObject({ was_stale: true, composite_rate: 100.7 })
    const half = Date.parse(noon) + 1
    expect(resultOf(execute(half, hermesAnswer(pricesAt(half, [0, 60, 0, 0])))).was_stale).toBe(true)
  })

  test("gives way to the newest of the four, whose time is then the result's", () => {
    // 0.7 * 103 + 0.3 * 100
    expect(at(noon, [30, 61, 40, 20])).toMatchObject({
      was_stale: true,
      active_session: "NORMAL",
      composite_rate: 102.1,
      timestamp: "2025-11-20T16:59:40.000Z"
    })
    expect(at(noon, [10, 61, 40, 20])).toMatchObject({ composite_rate: 100, timestamp: "2025-11-20T16:59:50.000Z" })
    expect(at(noon, [30, 61, 30, 30])).toMatchObject({ composite_rate: 100, timestamp: "2025-11-20T16:59:30.000Z" })
  })

  test("is used if nothing is newer", () => {
    expect(at(noon, [3_600, 3_600, 3_600, 3_600])).toMatchObject({
      was_stale: true,
      composite_rate: 100.7,
      timestamp: "2025-11-20T16:00:00.000Z"
    })
  })

  test("is distinguished from a closed market", () => {
    const saturday = "2025-11-22T17:00:00Z"
    const day = [86_400, 86_400, 86_400, 86_400]
    expect(at(noon, day)).toMatchObject({ was_stale: true, market: "open" })
    expect(at(saturday, day)).toMatchObject({ was_stale: true, market: "closed" })
    expect(at(saturday)).toMatchObject({ was_stale: true, market: "closed" })
    expect(at(noon)).toMatchObject({ was_stale: false, market: "open" })
  })

  test("of the previous session does not matter, nor does a clock ahead of ours", () => {
    expect(at(noon, [9_999, 0, 0, 0])).toMatchObject({ was_stale: false, composite_rate: 100.7 })
    expect(at(noon, [0, -30, 0, 0])).toMatchObject({ was_stale: false, timestamp: "2025-11-20T17:00:30.000Z" })
  })
})

describe("the program refuses", () => {
  const timeMs = Date.parse("2025-11-20T15:00:00Z")
  const fine = hermesAnswer(pricesAt(timeMs))
  const percent = "weights are percent, 85.5 and not 0.855:"
  const places = "is not a number from 0 to 100 with at most 36 decimal places"

  test.each<[string, unknown]>([
    ["session_ids is missing", {}],
    ["session_ids is missing", ""],
    ["weights is missing", { session_ids: ids }],
    ["session_ids is not a list", { ...inputs, session_ids: ids[0] }],
    ["session_ids are not four", { ...inputs, session_ids: ids.slice(1) }],
    ["session_ids are not four", { ...inputs, session_ids: [...ids, ids[0]] }],
    ["session_ids[2] is not 64 hex characters", { ...inputs, session_ids: [ids[0], ids[1], "0x", ids[3]] }],
    ["session_ids[0] is not 64 hex characters", { ...inputs, session_ids: [1, 2, 3, 4] }],
    ["weights is not a list", { ...inputs, weights: { session: 1 } }],
    ["weights are not four", { ...inputs, weights: [1, 2, 3] }],
    ["weights are not four", { ...inputs, weights: [1, 2, 3, 4, 5] }],
    [`weights[3] ${places}`, { ...inputs, weights: [1, 2, 3, 100.5] }],
    [`weights[0] ${places}`, { ...inputs, weights: [-1, 2, 3, 4] }],
    [`weights[1] ${places}`, { ...inputs, weights: [1, "2", 3, 4] }],
    [`${percent} weights[0] is between 0 and 1`, { ...inputs, weights: [0.855, 0.5, 0.7, 0.6] }],
    [`${percent} weights[0] is between 0 and 1`, { ...inputs, weights: [0.855, 90, 70, 60] }],
    [`${percent} weights[3] is between 0 and 1`, weighing(`90,0,1,0.${"9".repeat(36)}`)],
    [`${percent} weights[1] is between 0 and 1`, weighing("90,1e-36,70,60")],
    [`${percent} none of these is above 1`, { ...inputs, weights: [0, 0, 0, 1] }],
    [`${percent} none of these is above 1`, { ...inputs, weights: [1, 1, 1, 1] }],
    ["the inputs are not a JSON object", []]
  ])("%s", (line, given) => {
    const outcome = execute(timeMs, fine, given)
    expect(outcome).toMatchObject(refused(line))
    expect(outcome.actions).toEqual([])
  })

  const withOne = (change: Partial<HermesPrice>) =>
    hermesAnswer(pricesAt(timeMs).map((price, index) => (index === 1 ? { ...price, ...change } : price)))

  test.each<[string, CannedAnswer]>([
    [
      "the price service answered with status 401: it wants an API key, which the operator sets in outbound.hostHeaders",
      { status: 401, body: "" }
    ],
    [
      "the price service answered with status 403: it wants an API key, which the operator sets in outbound.hostHeaders",
      { status: 403, body: "" }
    ],
    ["the price service answered with status 404", { status: 404, body: "Price ids not found" }],
    ["the price service answered with status 429", { status: 429, body: "" }],
    ["the price service answered with status 500", { status: 500, body: "" }],
    ["the price service did not answer: connection reset", "connection reset"],
    ["the price service's answer is not JSON", { status: 200, body: "<html>" }],
    ["the price service's answer lacks the NORMAL price", withOne({ id: "00".repeat(32) })],
    ["the NORMAL price is not positive", withOne({ price: "-10000000" })],
    ["the NORMAL price is not positive", withOne({ price: "0" })],
    ["the NORMAL price is not a number", withOne({ price: "1e" })],
    ["the NORMAL price's expo is not an integer", withOne({ expo: "-5" })],
    ["the NORMAL price's publish_time is out of range", withOne({ publishTime: -1 })],
    ["the session price's expo is out of range", withOne({ expo: 1_000_000 })],
    ["the session price's expo is out of range", withOne({ expo: -1_000_000 })],
    [
      "the composite rate rounds to zero",
      hermesAnswer(pricesAt(timeMs).map((price, index) => ({ ...price, price: "1", expo: index === 0 ? -9 : -1 })))
    ]
  ])("%s", (line, answer) => {
    const given = line.endsWith("zero") ? { ...inputs, weights: [0, 0, 0, 0] } : inputs
    expect(execute(timeMs, answer, given)).toMatchObject(refused(line))
  })

  test("a reference beyond all measure", () => {
    const answer = hermesAnswer(pricesAt(timeMs).map((price, index) => (index === 0 ? { ...price, expo: 999 } : price)))
    expect(execute(timeMs, answer)).toMatchObject(refused("the composite rate does not fit 256 bits"))
  })
})

describe("the complete result", () => {
  const price = fc.record({
    mantissa: fc.bigInt(1n, 10n ** 13n),
    expo: fc.integer({ min: -10, max: 2 }),
    ageS: fc.integer({ min: -5, max: 130 })
  })
  const weight = fc
    .record({ places: fc.nat(8), part: fc.nat({ max: 1_000_000_000 }) })
    .map(({ part, places }) => printed((100n * 10n ** BigInt(places) * BigInt(part)) / 1_000_000_000n, -places))

  test("equals the model's, to the last byte", () => {
    const timeS = fc.integer({ min: 915_148_800, max: 1_893_456_000 })
    const four = fc.tuple(price, price, price, price)
    const anyWeight = fc.oneof({ weight: 12, arbitrary: weight }, fc.constantFrom("0", "1", "1.5", "0.855"))
    const fourWeights = fc.tuple(anyWeight, anyWeight, anyWeight, anyWeight)
    fc.assert(
      fc.property(timeS, fc.nat(999), four, fourWeights, (seconds, ms, given, weights) => {
        const prices = given.map(({ ageS, expo, mantissa }): SessionPrice => ({ mantissa, expo, publishTime: seconds - ageS }))
        const answer = hermesAnswer(
          prices.map(({ expo, mantissa, publishTime }, index) => ({
            id: ids[index] ?? "",
            price: String(mantissa),
            expo,
            publishTime
          }))
        )
        const timeMs = seconds * 1_000 + ms
        const outcome = execute(timeMs, answer, weighing(weights.join(",")))
        const refusal = weightsRefusal(weights)
        const result = equityResult(timeMs, prices, weights, source)
        if (refusal !== undefined) expect(outcome).toMatchObject(refused(refusal))
        else if (result === undefined) expect(outcome).toMatchObject(refused("the composite rate rounds to zero"))
        else expect(text(outcome)).toBe(result)
      }),
      { numRuns: 300 }
    )
  })
})

describe("the tally phase", () => {
  const tally = (reveals: ReadonlyArray<string>): BareOutcome => {
    const items = reveals.map((reveal) => ({ reveal: [...new TextEncoder().encode(reveal)], exit_code: 0 }))
    return runBare(program, { phase: "tally", args: ["", JSON.stringify(items), JSON.stringify(items.map(() => 0))] })
  }
  const rate = (value: number, note: string) => `{"composite_rate":${value},"was_stale":${note}}`

  test("returns a single reveal unchanged, and of several that of the median rate", () => {
    expect(text(tally(["anything"]))).toBe("anything")
    expect(text(tally([rate(3, "1"), rate(1, "2"), rate(2.5, "3")]))).toBe(rate(2.5, "3"))
    expect(tally([rate(1, "1"), "{}"])).toMatchObject(refused("a reveal has no composite_rate"))
  })
})
