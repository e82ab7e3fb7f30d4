/** The crypto price program: golden cases, every refusal, and its arithmetic against an independent model. */
import { toHex } from "@sibyl/core/internal"
import * as fc from "fast-check"
import { beforeAll, describe, expect, test } from "vitest"
import { marketFaults } from "../market/marketFault.ts"
import { answerOf } from "../market/priceService.ts"
import { type BareOutcome, type BareRun, type CannedAnswer, runBare } from "./testdata/bareHost.ts"
import { buildTimeoutMs, builtProgram } from "./testdata/builtProgram.ts"
import { inputsHex, refused, succeeded, text, uint256 } from "./testdata/endings.ts"
import { printed, roundedTo, scaled } from "./testdata/exactNumbers.ts"

const btc = "e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43"
const clockMs = 1_763_640_000_500

let program: WebAssembly.Module
beforeAll(async () => {
  program = new WebAssembly.Module(await builtProgram("crypto-price"))
}, buildTimeoutMs)

interface PriceFields {
  readonly id?: string
  readonly price?: unknown
  readonly expo?: unknown
  readonly publish_time?: unknown
}

/** An answer of the price service with the given price. */
const priced = (fields: PriceFields): CannedAnswer => {
  const { id = btc, price = "6352112345678", expo = -8, publish_time = 1_763_640_000 } = fields
  const body = JSON.stringify({
    binary: { encoding: "hex", data: ["504e4155"] },
    parsed: [
      {
        id,
        price: { price, conf: "1", expo, publish_time },
        ema_price: { price: "1", conf: "1", expo, publish_time },
        metadata: { slot: 1, proof_available_time: 2, prev_publish_time: 3 }
      }
    ]
  })
  return { status: 200, body }
}

const execute = (inputs: unknown, answer: CannedAnswer = priced({}), changes: Partial<BareRun> = {}): BareOutcome =>
  runBare(program, {
    phase: "dr",
    args: [inputsHex(inputs)],
    clockMs,
    answer: () => answer,
    ...changes
  })

describe("the execution phase", () => {
  test("answers an EVM uint256 of 10^-8 dollars", () => {
    const outcome = execute({ id: btc })
    expect(outcome).toMatchObject(succeeded)
    expect(toHex(outcome.result)).toBe(uint256(6_352_112_345_678n))
  })

  test("answers JSON when asked", () => {
    const outcome = execute({ id: btc, output_format: "json" })
    expect(outcome).toMatchObject(succeeded)
    expect(text(outcome)).toBe('{"price":63521.12345678}')
  })

  test("asks the price service once, for the normalized feed id", () => {
    for (const id of [btc, `0x${btc}`, btc.toUpperCase(), `0X${btc.toUpperCase()}`]) {
      const outcome = execute({ id })
      expect(outcome).toMatchObject(succeeded)
      expect(outcome.actions).toEqual([
        {
          url: `https://hermes.pyth.network/v2/updates/price/latest?ids%5B%5D=${btc}&parsed=true`,
          options: { method: "GET", headers: {}, body: [], timeout_ms: null }
        }
      ])
    }
  })

  test("makes no unnecessary host call", () => {
    expect(execute({ id: btc }).calls).toEqual({
      args_sizes_get: 1,
      args_get: 1,
      http_fetch: 1,
      call_result_write: 1,
      clock_time_get: 1,
      execution_result: 1
    })
  })

  test.each([
    ["63521.12345678", "6352112345678", -8],
    ["1", "1", 0],
    ["0.00000001", "1", -8],
    ["0.1", "1", -1],
    ["120", "12", 1],
    ["1.5", "15", -1],
    ["0.00000002", "15", -9],
    ["0.00000002", "25", -9],
    ["0.00000004", "35", -9],
    ["0.00000003", "2500000001", -17],
    ["0.00000001", "5000000001", -18],
    ["0.99999999", "9999999949", -10],
    ["1", "9999999951", -10],
    ["1000000000000000000000", "1", 21]
  ])("prints %s for %s and exponent %i", (printed, price, expo) => {
    expect(text(execute({ id: btc, output_format: "json" }, priced({ price, expo })))).toBe(`{"price":${printed}}`)
  })

  test("accepts a price of exactly 60 seconds, and one from a clock ahead of ours", () => {
    const published = 1_763_640_000
    const executeLater = (ms: number) => execute({ id: btc }, priced({ publish_time: published }), { clockMs: published * 1_000 + ms })
    expect(executeLater(60_000)).toMatchObject(succeeded)
    expect(executeLater(60_001)).toMatchObject(refused("the price is older than 60 seconds"))
    expect(executeLater(-5_000)).toMatchObject(succeeded)
  })

  test("finds the feed among others, with any other content and any formatting", () => {
    const other = { id: "00".repeat(32), price: { price: "1", expo: 0, publish_time: 1 } }
    const price = { publish_time: 1_763_640_000, expo: -2, price: "12345", conf: [1, 2] }
    const mine = { id: `0x${btc.toUpperCase()}`, price }
    const rest = [[[]], { a: null }, true, -1.5e3]
    const body = JSON.stringify({ parsed: [other, mine, other], '\u00e9"': rest }, undefined, 2)
    for (const spelling of [body, body.replace('"parsed"', '"p\\u0061rsed"')]) {
      const outcome = execute({ id: btc, output_format: "json" }, { status: 200, body: spelling })
      expect(text(outcome)).toBe('{"price":123.45}')
    }
  })
})

describe("the execution phase refuses", () => {
  test.each<[string, string, unknown]>([
    ["no inputs", "id is missing", ""],
    ["an empty object", "id is missing", {}],
    ["no id", "id is missing", { output_format: "json" }],
    ["a number for an id", "id is not 64 hex characters", { id: 5 }],
    ["null for an id", "id is not 64 hex characters", { id: null }],
    ["a short id", "id is not 64 hex characters", { id: btc.slice(1) }],
    ["a long id", "id is not 64 hex characters", { id: `${btc}0` }],
    ["two prefixes", "id is not 64 hex characters", { id: `0x0x${btc.slice(2)}` }],
    ["an id that is not hex", "id is not 64 hex characters", { id: `g${btc.slice(1)}` }],
    ["an id with a wide character", "id is not 64 hex characters", { id: `\u0130${btc.slice(1)}` }],
    ["an unknown format", "output_format is not json", { id: btc, output_format: "xml" }],
    ["a format of another type", "output_format is not json", { id: btc, output_format: ["json"] }],
    ["a list", "the inputs are not a JSON object", []],
    ["a text", "the inputs are not a JSON object", '"id"'],
    ["broken JSON", "the inputs are not a JSON object", '{"id":'],
    ["JSON with a tail", "the inputs are not a JSON object", `{"id":"${btc}"}x`]
  ])("%s", (_, line, inputs) => {
    const outcome = execute(inputs)
    expect(outcome).toMatchObject(refused(line))
    expect(outcome.actions).toEqual([])
  })

  test("an argument that is missing or not hex", () => {
    expect(execute({}, undefined, { args: [] })).toMatchObject(refused("argument 1 is missing"))
    expect(execute({}, undefined, { args: ["7b7"] })).toMatchObject(refused("the inputs are not hex"))
    expect(execute({}, undefined, { args: ["7b7g"] })).toMatchObject(refused("the inputs are not hex"))
  })

  const page = "<!doctype html>"
  test.each<[string, string, CannedAnswer]>([
    ["404", "the price service answered with status 404", { status: 404, body: `Price ids not found: 0x${btc}` }],
    ["429", "the price service answered with status 429", { status: 429, body: "" }],
    ["500", "the price service answered with status 500", { status: 500, body: page }],
    ["a time-out", "the price service did not answer: time limit exceeded (2000ms)", "time limit exceeded (2000ms)"],
    ["a reason of two lines", "the price service did not answer: one  two", "one\r\ntwo"],
    ["a page", "the price service's answer is not JSON", { status: 200, body: page }],
    ["nothing", "the price service's answer is not JSON", { status: 200, body: "" }],
    ["no prices", "the price service's answer lacks the price", { status: 200, body: '{"parsed":[]}' }],
    ["null for prices", "the price service's answer lacks the price", { status: 200, body: '{"parsed":null}' }],
    ["a list", "the price service's answer lacks the price", { status: 200, body: "[]" }],
    ["another feed", "the price service's answer lacks the price", priced({ id: "00".repeat(32) })],
    ["a zero price", "the price is not positive", priced({ price: "0" })],
    ["a negative price", "the price is not positive", priced({ price: "-1" })],
    ["a price that rounds to zero", "the price rounds to zero at 10^-8", priced({ price: "1", expo: -9 })],
    ["a vanishing price", "the price rounds to zero at 10^-8", priced({ price: "1", expo: -1_000_000 })],
    ["a price beyond 256 bits", "the price does not fit 256 bits", priced({ price: "1", expo: 70 })],
    ["a huge exponent", "the price does not fit 256 bits", priced({ price: "1", expo: 1_000_000_000 })],
    ["a price that is no number", "the price is not a number", priced({ price: "12a" })],
    ["an empty price", "the price is not a number", priced({ price: "" })],
    ["a price of 78 nines", "the price is not a number", priced({ price: "9".repeat(78) })],
    ["no price", "the price is not a number", priced({ price: null })],
    ["an exponent that is no integer", "the price's expo is not an integer", priced({ expo: 1.5 })],
    ["a time that is a text", "the price's publish_time is not an integer", priced({ publish_time: "1" })],
    ["a time before 1970", "the price's publish_time is out of range", priced({ publish_time: -1 })],
    ["a time after 9999", "the price's publish_time is out of range", priced({ publish_time: 253_402_300_800 })],
    ["an old price", "the price is older than 60 seconds", priced({ publish_time: 1_763_639_940 })]
  ])("from the price service: %s", (_, line, answer) => {
    expect(execute({ id: btc }, answer)).toMatchObject(refused(line))
  })

  test.each(marketFaults.filter((fault) => fault !== "hang" && fault !== "reset"))("the market's fault %s", (fault) => {
    const moment = { seed: 1, timeMs: clockMs, faultOf: () => fault, pinnedQuote: () => undefined }
    const outcome = execute({ id: btc }, "", {
      answer: ({ url }) => {
        const { pathname, search } = new URL(url)
        return answerOf(moment, pathname + search)
      }
    })
    expect(outcome).toMatchObject({ exitCode: 1, result: new Uint8Array(), stdout: "" })
    expect(outcome.stderr).toMatch(/^the price[^\n]+\n$/)
  })

  test.each<[string, string]>([
    ["nested lists", "[".repeat(200_000)],
    ["nested objects", '{"a":'.repeat(50_000)],
    ["a wide list", `[${"[],".repeat(50_000)}[]]`],
    ["a long string", `"${"a".repeat(250_000)}`],
    ["a long number", "1".repeat(250_000)],
    ["spaces", " ".repeat(250_000)],
    ["a list of bytes", `[${"1,".repeat(120_000)}1]`]
  ])("a bomb of %s, without a trap", (_, bomb) => {
    const outcome = execute({ id: btc }, { status: 200, body: bomb })
    expect(outcome).toMatchObject({ exitCode: 1, trap: undefined, result: new Uint8Array(), stdout: "" })
    expect(outcome.stderr).toMatch(/^the price[^\n]+\n$/)
    expect(execute(bomb)).toMatchObject(refused("the inputs are not a JSON object"))
  })

  test("an answer beyond its memory", () => {
    expect(execute({ id: btc }, { status: 200, body: "x".repeat(1_048_576) })).toMatchObject(
      refused("the price service did not answer: the answer does not fit the program's memory")
    )
  })
})

describe("the JSON parser accepts exactly what JSON.parse accepts", () => {
  const verdict = (body: string): string => execute({ id: btc }, { status: 200, body }).stderr
  const model = (body: string): string => {
    try {
      JSON.parse(body)
      return "the price service's answer lacks the price\n"
    } catch {
      return "the price service's answer is not JSON\n"
    }
  }

  test.each([
    "0",
    "-0",
    "01",
    "-",
    "+1",
    "1.",
    ".5",
    "1.5",
    "1e",
    "1e+",
    "1E-9",
    "1e5x",
    "0x1",
    "NaN",
    "null",
    "nul",
    "nulll",
    "true",
    "tru",
    "false",
    "fals",
    "falsy",
    "[]",
    "[",
    "]",
    "[1,]",
    "[,1]",
    "[1 2]",
    "[1,2]",
    "[01]",
    "[256]",
    "[-1]",
    "[1,2",
    "[0,]",
    "[1,[2,3],{}]",
    "{}",
    "{",
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    "{a:1}",
    '{"a":1 "b":2}',
    '{"a":1}}',
    '"a',
    '"\\x"',
    '"\\u12g4"',
    '"\\u00e9"',
    '"\\\\"',
    '"\\""',
    '"\t"',
    '"\u007f"',
    "\u00a0[]",
    "\ufeff[]",
    " \t\r\n[] ",
    "[]\u0000",
    "",
    '"12345678\\"',
    '"1234567\u0000"',
    '"1234567""',
    '["a","b"]',
    '[1,"]"]',
    '{"[1,2]":[1,2]}'
  ])("%j", (body) => expect(verdict(body)).toBe(model(body)))

  test("for documents with a character changed, added or lost", () => {
    const added = fc.constantFrom("", "[", "]", "{", "}", '"', ",", ":", "0", "-", "e", ".", "\\", " ", "u", "\0")
    const edit = fc.record({ at: fc.nat(), lost: fc.nat(2), added })
    fc.assert(
      fc.property(fc.json(), fc.array(edit, { maxLength: 2 }), (json, edits) => {
        const body = edits.reduce((text, { at, lost, added }) => {
          const place = at % (text.length + 1)
          return text.slice(0, place) + added + text.slice(place + lost)
        }, json)
        expect([body, verdict(body)]).toEqual([body, model(body)])
      }),
      { numRuns: 500 }
    )
  })
})

const modelUnits = (mantissa: bigint, expo: number): bigint => roundedTo(scaled(mantissa, expo), -8)
const modelText = (units: bigint): string => printed(units, -8)

describe("the arithmetic", () => {
  const price = fc.oneof(
    fc.record({ mantissa: fc.bigInt(1n, 2n ** 63n - 1n), expo: fc.integer({ min: -30, max: 20 }) }),
    // Around ties: …5 cut off at the last place.
    fc.record({ mantissa: fc.bigInt(0n, 10n ** 12n).map((value) => value * 10n + 5n), expo: fc.constant(-9) }),
    fc.record({ mantissa: fc.bigInt(1n, 2n ** 256n - 1n), expo: fc.integer({ min: -90, max: 5 }) })
  )

  test("equals the model's, in both formats, to the last digit", () => {
    fc.assert(
      fc.property(price, ({ mantissa, expo }) => {
        const units = modelUnits(mantissa, expo)
        const answer = priced({ price: String(mantissa), expo })
        const evm = execute({ id: btc }, answer)
        const json = execute({ id: btc, output_format: "json" }, answer)
        if (units === 0n || units >= 2n ** 256n) {
          const line = units === 0n ? "the price rounds to zero at 10^-8" : "the price does not fit 256 bits"
          expect(evm).toMatchObject(refused(line))
          expect(json).toMatchObject(refused(line))
        } else {
          expect(toHex(evm.result)).toBe(uint256(units))
          expect(text(json)).toBe(`{"price":${modelText(units)}}`)
        }
      }),
      { numRuns: 300 }
    )
  })
})

describe("the tally phase", () => {
  interface RevealLike {
    readonly reveal: string | Uint8Array
    readonly exitCode?: number
    readonly outlier?: boolean
  }
  const tally = (reveals: ReadonlyArray<RevealLike>): BareOutcome => {
    const items = reveals.map(({ reveal, exitCode = 0 }) => ({
      reveal: [...(typeof reveal === "string" ? new TextEncoder().encode(reveal) : reveal)],
      dr_id: "ab".repeat(32),
      dr_block_height: 0,
      exit_code: exitCode,
      gas_used: 20_000_000_000_000,
      proxy_public_keys: []
    }))
    const consensus = reveals.map(({ outlier = false }) => (outlier ? 1 : 0))
    return runBare(program, { phase: "tally", args: ["", JSON.stringify(items), JSON.stringify(consensus)] })
  }
  const evm = (value: bigint): Uint8Array => Uint8Array.from(Buffer.from(uint256(value), "hex"))

  test("returns the bytes of the one reveal, whatever they are", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (reveal) => {
        const outcome = tally([{ reveal }])
        expect(outcome).toMatchObject(succeeded)
        expect(toHex(outcome.result)).toBe(toHex(reveal))
      })
    )
  })

  test("makes no unnecessary host call, and none that traps in this phase", () => {
    expect(tally([{ reveal: "x" }]).calls).toEqual({
      args_sizes_get: 1,
      args_get: 1,
      execution_result: 1
    })
  })

  test("returns the median of several, the lower of the middle two", () => {
    const values = fc.array(fc.bigInt(1n, 2n ** 246n), { minLength: 1, maxLength: 9 })
    fc.assert(
      fc.property(values, fc.boolean(), (values, json) => {
        const jsonOf = (value: bigint) => `{"price":${modelText(value)}}`
        const outcome = tally(values.map((value) => ({ reveal: json ? jsonOf(value) : evm(value) })))
        const median = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))[(values.length - 1) >> 1] ?? 0n
        expect(outcome).toMatchObject(succeeded)
        expect(json ? text(outcome) : toHex(outcome.result)).toBe(json ? jsonOf(median) : uint256(median))
      })
    )
  })

  test("ignores outliers and failed executions", () => {
    const outcome = tally([
      { reveal: evm(1n), outlier: true },
      { reveal: evm(5n) },
      { reveal: new Uint8Array(), exitCode: 1 },
      { reveal: evm(2n), outlier: true }
    ])
    expect(toHex(outcome.result)).toBe(uint256(5n))
  })

  test.each<[string, ReadonlyArray<RevealLike>, string]>([
    ["no reveals", [], "no execution succeeded in consensus"],
    ["only outliers", [{ reveal: "x", outlier: true }], "no execution succeeded in consensus"],
    ["only failures", [{ reveal: "x", exitCode: 255 }], "no execution succeeded in consensus"],
    ["two of which one is no price", [{ reveal: '{"price":1}' }, { reveal: '{"a":1}' }], "a reveal has no price"]
  ])("refuses %s", (_, reveals, line) => {
    expect(tally(reveals)).toMatchObject(refused(line))
  })

  test.each<[string, ReadonlyArray<string>, string]>([
    ["reveals that are no list", ["", "{}", "[]"], "the list of reveals is malformed"],
    ["a reveal that is no bytes", ["", '[{"reveal":[256],"exit_code":0}]', "[0]"], "the reveals are malformed"],
    ["a consensus list of another length", ["", "[]", "[0]"], "the consensus list is malformed"],
    ["a consensus list that is none", ["", "[]", "x"], "the consensus list is malformed"]
  ])("refuses %s", (_, args, line) => {
    expect(runBare(program, { phase: "tally", args })).toMatchObject(refused(line))
  })

  test("reads lists written with spaces", () => {
    const args = ["", ' [ { "exit_code" : 0 , "reveal" : [ 1 , 2, 255 ] } ] ', "[ 0 ]"]
    expect(toHex(runBare(program, { phase: "tally", args }).result)).toBe("0102ff")
  })
})
