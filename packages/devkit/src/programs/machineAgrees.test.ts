/** The example programs in the real VM against models, on random inputs: metered results equal unmetered ones. */
import { toHex } from "@sibyl/core/internal"
import { soakCount } from "@sibyl/testing/soak"
import * as fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { buildTimeoutMs, builtProgram } from "./testdata/builtProgram.ts"
import { text, uint256 } from "./testdata/endings.ts"
import { equityResult } from "./testdata/equityModel.ts"
import { roundedTo, scaled } from "./testdata/exactNumbers.ts"
import { hermesBody } from "./testdata/hermesAnswer.ts"
import { openProgramVm, type ProgramVm } from "./testdata/programVm.ts"

let vm: ProgramVm
let cryptoPrice: Uint8Array
let metalsIndex: Uint8Array
let equitySession: Uint8Array
beforeAll(async () => {
  cryptoPrice = await builtProgram("crypto-price")
  metalsIndex = await builtProgram("metals-index")
  equitySession = await builtProgram("equity-session")
  vm = openProgramVm()
}, buildTimeoutMs)
afterAll(() => vm.close())

const mantissa = fc.bigInt(1n, 10n ** 12n)
const expo = fc.integer({ min: -8, max: 0 })
/** From 1995 to 2025. */
const instant = fc.integer({ min: 788_918_400, max: 1_767_225_599 })
const answering = (body: string) => () => ({ status: 200, body })

test("crypto-price gives the model's uint256, and the tally returns it", async () => {
  const id = "ab".repeat(32)
  await fc.assert(
    fc.asyncProperty(mantissa, expo, instant, async (price, expo, publishTime) => {
      const body = hermesBody([{ id, price: String(price), expo, publishTime }])
      const world = { clockMs: publishTime * 1_000, answer: answering(body) }
      const outcome = await vm.execute(cryptoPrice, { id }, world)
      expect(toHex(outcome.result)).toBe(uint256(roundedTo(scaled(price, expo), -8)))
      expect((await vm.tally(cryptoPrice, [{ bytes: outcome.result }])).result).toEqual(outcome.result)
    }),
    { numRuns: soakCount({ everyday: 25, full: 60 }) }
  )
})

test("metals-index gives the mean of four prices", async () => {
  const four = fc.tuple(mantissa, mantissa, mantissa, mantissa)
  await fc.assert(
    fc.asyncProperty(four, expo, instant, async (mantissas, expo, publishTime) => {
      const ids = [
        "765d2ba906dbc32ca17cc11f5310a89e9ee1f6420508c63861f2f8ba4ee34bb2",
        "f2fb02c32b055c805e7238d628e5e9dadef274376114eb1f012337cabe93871e",
        "398e4bbc7cbf89d6648c21e08019d878967677753b3096799595c78f805a34e5",
        "80367e9664197f37d89a07a804dffd2101c479c7c4e8490501bc9d9e1e7f9021"
      ]
      const priced = mantissas.map((price, at) => ({ id: ids[at] ?? "", price: String(price), expo, publishTime }))
      const body = hermesBody(priced)
      const outcome = await vm.execute(metalsIndex, "", { clockMs: publishTime * 1_000, answer: answering(body) })
      const sum = mantissas.reduce((total, each) => total + each, 0n)
      expect(toHex(outcome.result)).toBe(uint256(roundedTo(scaled(sum * 25n, expo - 2), -8)))
    }),
    { numRuns: soakCount({ everyday: 25, full: 60 }) }
  )
})

test("equity-session gives the model's result at random instants of thirty years", async () => {
  const price = fc.record({ mantissa: fc.bigInt(10n ** 6n, 10n ** 9n), ageS: fc.integer({ min: 0, max: 120 }) })
  const four = fc.tuple(price, price, price, price)
  const weights = fc.tuple(fc.nat(100), fc.nat(100), fc.nat(100), fc.nat(100))
  const ids = ["1", "2", "3", "4"].map((digit) => digit.repeat(64))
  await fc.assert(
    fc.asyncProperty(instant, four, weights, async (seconds, given, weights) => {
      const prices = given.map(({ ageS, mantissa }) => ({ mantissa, expo: -5, publishTime: seconds - ageS }))
      const body = hermesBody(prices.map(({ mantissa, ...rest }, at) => ({ ...rest, id: ids[at] ?? "", price: String(mantissa) })))
      const clockMs = seconds * 1_000
      const outcome = await vm.execute(equitySession, { session_ids: ids, weights }, { clockMs, answer: answering(body) })
      const source = vm.requests()[0]?.url ?? ""
      expect(text(outcome)).toBe(equityResult(clockMs, prices, weights.map(String), source))
    }),
    { numRuns: soakCount({ everyday: 80, full: 200 }) }
  )
})
