/** The bound of what audits may spend. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { fits, mostCreditsOfAudit, openCreditBudget, remainingOf } from "./creditBudget.ts"

it("lets nothing begin that could pass the bound, if each audit spends at most the most of one", () => {
  const amount = fc.bigInt(0n, 1_000_000n)
  fc.assert(
    fc.property(amount, fc.bigInt(0n, 50n), amount, amount, (spent, underWay, most, max) => {
      expect(fits(spent, underWay, most, max)).toBe(spent + underWay * most + most <= max)
    })
  )
})

/** A service that shows this balance. */
const showing = (balance: () => unknown) => ({
  baseUrl: "http://127.0.0.1:1",
  apiKey: "key",
  programs: {} as never,
  fetch: async () => Response.json({ remainingCreditsSnapshot: balance() })
})

it("counts those under way, and remembers the dearest", async () => {
  let balance = 1_000_000n
  const target = showing(() => String(balance))
  const budget = openCreditBudget(target, await remainingOf(target), 2n * mostCreditsOfAudit)
  expect([await budget.begin(), await budget.begin(), await budget.begin()]).toEqual([true, true, false])
  balance -= 10n
  expect([await budget.done(), await budget.done()]).toEqual([10n, 0n])
  expect(await budget.begin()).toBe(true)
  balance -= mostCreditsOfAudit + 5n
  expect(await budget.done()).toBe(mostCreditsOfAudit + 5n)
  expect([await budget.begin(), await budget.spent()]).toEqual([false, mostCreditsOfAudit + 15n])
})

it("needs a balance", async () => {
  await expect(remainingOf(showing(() => undefined))).rejects.toThrow("remainingCreditsSnapshot is absent")
  await expect(remainingOf(showing(() => 100))).rejects.toThrow("remainingCreditsSnapshot must be a string of digits, not 100")
})
