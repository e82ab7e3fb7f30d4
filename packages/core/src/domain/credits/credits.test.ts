/** A hold never exceeds the available credits, and every held credit is posted or returned. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Balance, emptyBalance, remainingOf } from "./balance.ts"
import { afterHold, afterPost, holdRefusal, postedOf, secondsLeftInPeriod } from "./credits.ts"
import { holdErrorOf } from "./holdError.ts"

const credits = fc.bigInt({ min: 0n, max: 2n ** 80n })
const balance = fc
  .record({ used: credits, held: credits, free: credits, periodUsed: credits })
  .map(({ free, held, periodUsed, used }): Balance => ({ granted: used + held + free, used, held, periodUsed }))
const usageLimit = fc.option(fc.record({ periodMs: fc.integer({ min: 1, max: 86_400_000 }), credits }))
const nowMs = fc.integer({ min: 0, max: 4_102_444_800_000 })

describe("holdRefusal", () => {
  it("accepts a hold exactly if balance and limit cover it, and the balance is never negative", () => {
    fc.assert(
      fc.property(balance, usageLimit, credits, nowMs, (now, limit, amount, ms) => {
        const refusal = holdRefusal(now, limit, amount, ms)
        const covered = amount <= remainingOf(now)
        const within = limit === null || now.periodUsed + amount <= limit.credits
        expect(refusal === undefined).toBe(covered && within)
        if (refusal === undefined) {
          expect(remainingOf({ ...afterHold(now, amount), periodUsed: 0n })).toBe(remainingOf(now) - amount)
        } else {
          expect(holdErrorOf(refusal).status).toBe(covered ? 429 : 403)
        }
      })
    )
  })

  it("states the missing amount in decimal strings", () => {
    const refusal = holdRefusal({ ...emptyBalance, granted: 5n, used: 3n }, null, 10n ** 30n, 0)
    expect(refusal?.details).toEqual({ required: "1000000000000000000000000000000", remaining: "2" })
  })

  it("says when to retry", () => {
    const limit = { periodMs: 60_000, credits: 10n }
    const refusal = holdRefusal({ ...emptyBalance, granted: 99n, periodUsed: 8n }, limit, 3n, 30_500)
    expect(refusal).toMatchObject({ _tag: "CreditLimitExceeded", retryAfterSeconds: 30 })
    expect(refusal && holdErrorOf(refusal)).toMatchObject({ _tag: "CreditLimitExceeded", retryAfterSeconds: 30, status: 429 })
  })
})

describe("secondsLeftInPeriod", () => {
  it("is the time until the next period, at least a second", () => {
    fc.assert(
      fc.property(nowMs, fc.integer({ min: 1, max: 86_400_000 }), (ms, periodMs) => {
        const seconds = secondsLeftInPeriod(ms, periodMs)
        expect(seconds).toBeGreaterThanOrEqual(1)
        expect(Math.floor((ms + seconds * 1000) / periodMs)).toBeGreaterThan(Math.floor(ms / periodMs))
        expect(seconds).toBeLessThanOrEqual(Math.max(1, Math.ceil(periodMs / 1000)))
      })
    )
  })
})

describe("posting and returning", () => {
  it("returns exactly what is not posted", () => {
    fc.assert(
      fc.property(balance, credits, fc.bigInt({ min: -(2n ** 70n), max: 2n ** 80n }), (before, amount, price) => {
        const posted = postedOf(amount, price)
        expect(posted >= 0n && posted <= amount).toBe(true)
        if (price >= 0n && price <= amount) expect(posted).toBe(price)
        const held = afterHold(before, amount)
        const after = afterPost(held, amount, posted)
        expect({ ...after, periodUsed: before.periodUsed }).toEqual({ ...before, used: before.used + posted })
        expect({ ...afterPost(held, amount, 0n), periodUsed: before.periodUsed }).toEqual(before)
      })
    )
  })
})
