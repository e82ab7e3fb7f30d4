/** The arithmetic of gas: slices have no visible effect, and gas used never decreases. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { GasMeter } from "./gasMeter.ts"
import { Unwind } from "./unwind.ts"

const most = 2n ** 64n - 1n

/** What an operator's charge does in metered code. */
const spend = (meter: GasMeter, global: { value: bigint }, cost: bigint): void => {
  global.value -= cost
  if (global.value < 0n) meter.refill()
}

const reasonOf = (action: () => void): string | undefined => {
  try {
    action()
    return undefined
  } catch (fault) {
    return fault instanceof Unwind ? fault.reason.kind : "exception"
  }
}

describe("a gas meter", () => {
  it("counts like one integer, whoever spends gas", () => {
    const cost = fc.record({ byHost: fc.boolean(), gas: fc.bigInt({ min: 0n, max: 900_000_000_000n }) })
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 4_000_000_000_000n }), fc.array(cost, { maxLength: 20 }), (limit, costs) => {
        const meter = new GasMeter(limit, 0n)
        const global = { value: 0n }
        meter.start(global)
        let left = limit
        for (const { byHost, gas } of costs) {
          const before = meter.used
          const reason = reasonOf(() => (byHost ? meter.charge(gas) : spend(meter, global, gas)))
          const payable = gas <= left
          expect(reason).toBe(payable ? undefined : byHost ? "unpaidCall" : "outOfGas")
          if (payable) left -= gas
          if (reason === "outOfGas") {
            expect(meter.used).toBe(limit)
            return
          }
          expect([meter.remaining, meter.used]).toEqual([left, limit - left])
          expect(meter.used >= before).toBe(true)
        }
      })
    )
  })

  it("accepts limits beyond signed 64-bit integers", () => {
    const meter = new GasMeter(most, 5n)
    const global = { value: 0n }
    meter.start(global)
    expect(global.value < 2n ** 63n).toBe(true)
    expect(meter.used).toBe(5n)
    meter.charge(2n ** 62n)
    expect(meter.used).toBe(5n + 2n ** 62n)
  })

  it("does nothing if it is called without need", () => {
    const meter = new GasMeter(100n, 0n)
    const global = { value: 0n }
    meter.start(global)
    meter.refill()
    expect([global.value, meter.remaining]).toEqual([100n, 100n])
  })
})
