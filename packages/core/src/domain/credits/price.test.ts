/** No run within its limits costs more than its hold, and a price is the sum of its parts (decisions D31, D32). */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { chargeableGas, defaultTariff, priceOf, worstPriceOf } from "./price.ts"
import { defaultGasLimits } from "../settings/gasLimits.ts"

const credits = fc.bigUint({ max: 10n ** 12n })
const gas = fc.bigUint({ max: 10n ** 16n })
const tariff = fc.record({
  baseCredits: credits,
  gasPerCredit: fc.bigInt({ min: 1n, max: 10n ** 13n }),
  gasPerWorkerMs: gas
})

/** What a phase used, and its worker time if it was ended by its time limit. */
const phase = fc.record({ gasCharged: gas, workerMs: fc.nat(100_000) }, { requiredKeys: ["gasCharged"] })

/** Proxy fees within a budget, divided among calls in any way. */
const proxiesWithin = (budget: bigint) =>
  fc.array(fc.tuple(fc.bigUint({ max: 1_000n }), fc.nat(5)), { maxLength: 5 }).map((wanted) => {
    let left = budget
    return wanted.flatMap(([fee, calls]) => {
      const cost = fee * BigInt(calls)
      if (cost > left) return []
      left -= cost
      return [{ publicKey: "", fee, calls }]
    })
  })

describe("worstPriceOf", () => {
  it("covers every price within the gas limits and the proxy budget", () => {
    const run = fc
      .record({ tariff, exec: gas, tally: gas, execUsed: phase, tallyUsed: phase, budget: credits })
      .chain((fields) => fc.record({ fields: fc.constant(fields), proxies: proxiesWithin(fields.budget) }))
    fc.assert(
      fc.property(run, ({ fields, proxies }) => {
        const { budget, exec, execUsed, tally, tallyUsed, tariff: rate } = fields
        const { gasPerWorkerMs } = rate
        const charged = chargeableGas(execUsed, exec, gasPerWorkerMs) + chargeableGas(tallyUsed, tally, gasPerWorkerMs)
        const worst = worstPriceOf(rate, { exec, tally }, budget)
        expect(priceOf(rate, charged, proxies).total <= worst.total).toBe(true)
        // And the bound is tight: a run that uses everything costs exactly that.
        const everything = [{ publicKey: "", fee: budget, calls: 1 }]
        expect(priceOf(rate, exec + tally, everything)).toEqual(worst)
      }),
      { numRuns: 2_000 }
    )
  })
})

describe("chargeableGas", () => {
  const rate = defaultTariff.gasPerWorkerMs

  it("is what was used, or the worker time of a phase that timed out if that is more, within the limit", () => {
    expect(chargeableGas({ gasCharged: 7n }, 100n, rate)).toBe(7n)
    expect(chargeableGas({ gasCharged: 7n, workerMs: 0 }, 100n, rate)).toBe(7n)
    // 30 s count as the default gas limit of an execution phase.
    expect(chargeableGas({ gasCharged: 0n, workerMs: 30_000 }, 10n ** 18n, rate)).toBe(defaultGasLimits.exec)
    expect(chargeableGas({ gasCharged: 0n, workerMs: 30_000 }, 10n ** 13n, rate)).toBe(10n ** 13n)
    expect(chargeableGas({ gasCharged: 10n ** 14n, workerMs: 1 }, 10n ** 18n, rate)).toBe(10n ** 14n)
  })
})

describe("priceOf", () => {
  it("is the sum of its parts, and gas is rounded up to whole credits", () => {
    fc.assert(
      fc.property(tariff, gas, credits, fc.nat(9), (rate, used, fee, calls) => {
        const cost = priceOf(rate, used, [
          { publicKey: "k", fee, calls },
          { publicKey: "l", fee, calls: 1 }
        ])
        expect(cost.total).toBe(cost.base + cost.gas + cost.dataProxies)
        expect(cost.dataProxies).toBe(fee * BigInt(calls + 1))
        expect(cost.gas * rate.gasPerCredit >= used && (cost.gas - 1n) * rate.gasPerCredit < used).toBe(true)
      })
    )
  })

  it("has the default tariff: 1 credit, and 1 for each started 10^12 gas", () => {
    expect(priceOf(defaultTariff, 0n, []).total).toBe(1n)
    expect(priceOf(defaultTariff, 1n, []).total).toBe(2n)
    expect(priceOf(defaultTariff, 34_938_534_731_250n, []).total).toBe(36n)
    expect(worstPriceOf(defaultTariff, defaultGasLimits, 1_000n)).toEqual({
      base: 1n,
      gas: 350n,
      dataProxies: 1_000n,
      total: 1_351n
    })
  })
})
