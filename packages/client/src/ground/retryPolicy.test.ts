/** Waits grow, are bounded, and follow what the service asks for; what cannot succeed is not tried again. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { FailedExecution, NotReached, ServiceRefusal, UnexpectedAnswer } from "../errors/clientError.ts"
import { defaultRetry, reopenInMs, retryInMs, waitMs } from "./retryPolicy.ts"

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const overloaded = (retryAfterMs: number) => new ServiceRefusal("Overloaded", "full", { status: 503, retryAfterMs })

test("a wait is between half of its doubled step and the whole, and at most the maximum", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 1_000 }), random, (attempt, part) => {
      const step = Math.min(defaultRetry.maxWaitMs, defaultRetry.firstWaitMs * 2 ** (attempt - 2))
      const wait = waitMs(attempt, defaultRetry, part)
      expect(wait).toBeGreaterThanOrEqual(step / 2)
      expect(wait).toBeLessThanOrEqual(step)
    })
  )
})

test("Retry-After is waited for, and ends the call where it is too long", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 60_000 }), random, (askedMs, part) => {
      const inMs = retryInMs(1, overloaded(askedMs), defaultRetry, part)
      if (askedMs > defaultRetry.maxRetryAfterMs) expect(inMs).toBeUndefined()
      else expect(inMs).toBeGreaterThanOrEqual(askedMs)
    })
  )
})

test("a connection is opened again when Retry-After is over, but not later than the policy waits for anything", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 0, max: 600_000 }), random, (failures, askedMs, part) => {
      const inMs = reopenInMs(failures, overloaded(askedMs), defaultRetry, part)
      const unaskedMs = reopenInMs(failures, undefined, defaultRetry, part)
      expect(unaskedMs).toBe(waitMs(failures + 1, defaultRetry, part))
      expect(inMs).toBe(Math.max(unaskedMs, Math.min(askedMs, defaultRetry.maxRetryAfterMs)))
    })
  )
})

test("only what may succeed later is tried again, and no more often than asked for", () => {
  const tried = (error: Parameters<typeof retryInMs>[1], attempt = 1) => retryInMs(attempt, error, defaultRetry, 0) !== undefined
  expect(tried(new NotReached("gone"))).toBe(true)
  expect(tried(overloaded(0))).toBe(true)
  expect(tried(new UnexpectedAnswer("a gateway's page", 502))).toBe(true)
  expect(tried(new ServiceRefusal("CreditLimitExceeded", "spent", { status: 429, retryAfterMs: 1_000 }))).toBe(true)
  expect(tried(new UnexpectedAnswer("another server", 200))).toBe(false)
  expect(tried(new UnexpectedAnswer("a gateway's page", 429))).toBe(false)
  expect(retryInMs(1, new UnexpectedAnswer("a gateway's page", 429, 7_000), defaultRetry, 0)).toBe(7_000)
  expect(tried(new UnexpectedAnswer("a gateway's page", 503, defaultRetry.maxRetryAfterMs + 1))).toBe(false)
  expect(tried(new ServiceRefusal("InvalidParameter", "no", { status: 400 }))).toBe(false)
  expect(tried(new ServiceRefusal("Unauthorized", "no", { status: 401 }))).toBe(false)
  expect(tried(new FailedExecution({ code: 36001, error: "exit code 3", message: "exit code 3" }))).toBe(false)
  expect(tried(new NotReached("gone"), defaultRetry.attempts)).toBe(false)
})
