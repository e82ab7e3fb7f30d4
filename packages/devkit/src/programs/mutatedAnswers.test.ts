/** Upstream answers with characters changed, added or lost: a program refuses clearly, or its price is the answer's. */
import { toHex } from "@sibyl/core/internal"
import * as fc from "fast-check"
import { beforeAll, expect, test } from "vitest"
import { type BareOutcome, runBare } from "./testdata/bareHost.ts"
import { buildTimeoutMs, builtProgram } from "./testdata/builtProgram.ts"
import { inputsHex, uint256 } from "./testdata/endings.ts"
import { type Fraction, fractionOf, plus, roundedTo, scaled, times } from "./testdata/exactNumbers.ts"
import { hermesBody } from "./testdata/hermesAnswer.ts"

const ids = [
  "765d2ba906dbc32ca17cc11f5310a89e9ee1f6420508c63861f2f8ba4ee34bb2",
  "f2fb02c32b055c805e7238d628e5e9dadef274376114eb1f012337cabe93871e",
  "398e4bbc7cbf89d6648c21e08019d878967677753b3096799595c78f805a34e5",
  "80367e9664197f37d89a07a804dffd2101c479c7c4e8490501bc9d9e1e7f9021"
]
const publishTime = 1_763_640_000
const clockMs = publishTime * 1_000

const programs = new Map<string, WebAssembly.Module>()
beforeAll(async () => {
  const load = async (name: string) => programs.set(name, new WebAssembly.Module(await builtProgram(name)))
  await load("crypto-price")
  await load("metals-index")
}, buildTimeoutMs)

const execute = (name: string, inputs: unknown, body: string): BareOutcome => {
  const program = programs.get(name)
  if (program === undefined) throw new Error(`no program ${name}`)
  return runBare(program, { phase: "dr", args: [inputsHex(inputs)], clockMs, answer: () => ({ status: 200, body }) })
}

const edit = fc.record({
  at: fc.nat(),
  lost: fc.nat(2),
  added: fc.constantFrom("", "0", "7", "-", ".", "e", '"', ",", ":", "{", "}", "[", "]", " ", "\\", "\\u0031", "\0")
})

/** The body with edits, most of them among its numbers. */
const edited = (body: string, edits: ReadonlyArray<{ at: number; lost: number; added: string }>): string => {
  const digits = [...body.matchAll(/[0-9]/g)].map(({ index }) => index)
  return edits.reduce((text, { added, at, lost }) => {
    const place = at % 4 === 0 ? at % (text.length + 1) : (digits[at % digits.length] ?? 0)
    return text.slice(0, place) + added + text.slice(place + lost)
  }, body)
}

/** A decimal text with an exponent or without. */
const numberOf = (text: string): Fraction => {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e")
  return times(fractionOf(mantissa), scaled(1n, Number(exponent)))
}

/** A feed's price in a body, as any JSON parser reads it. */
const priceIn = (body: string, id: string): Fraction => {
  const { parsed } = JSON.parse(body) as {
    readonly parsed: ReadonlyArray<{
      readonly id: unknown
      readonly price: { readonly price: unknown; readonly expo: number; readonly publish_time: number }
    }>
  }
  const price = parsed.find((update) => String(update.id).replace(/^0x/i, "").toLowerCase() === id)?.price
  if (price === undefined) throw new Error("a price out of nowhere")
  return times(numberOf(String(price.price)), scaled(1n, price.expo))
}

const whole = (value: Fraction): string => uint256(roundedTo(value, -8))

test.each([
  ["crypto-price", { id: ids[0] }, (body: string) => whole(priceIn(body, ids[0] ?? ""))],
  [
    "metals-index",
    {},
    (body: string) => {
      const sum = ids.map((id) => priceIn(body, id)).reduce(plus)
      return whole(times(sum, { numerator: 1n, denominator: 4n }))
    }
  ]
] as const)("%s never returns another price than the answer's", (name, inputs, expected) => {
  const prices = ["4112345", "4866123", "160298713", "142751999"].map((price, at) => ({
    id: ids[at] ?? "",
    price,
    expo: -5,
    publishTime: publishTime - at
  }))
  let answered = 0
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
      const body = edited(hermesBody(prices), edits)
      const outcome = execute(name, inputs, body)
      expect(outcome.trap).toBeUndefined()
      if (outcome.exitCode === 0) {
        answered += 1
        expect([body, toHex(outcome.result)]).toEqual([body, expected(body)])
      } else {
        expect(outcome).toMatchObject({ exitCode: 1, stdout: "", result: new Uint8Array() })
        expect(outcome.stderr).toMatch(/^the [^\n]+\n$/)
      }
    }),
    { numRuns: 600 }
  )
  expect(answered).toBeGreaterThan(20)
})
