/** How much a client may ask in vain: what is refused costs it nothing, but us time (decision D41). */

/** What is left of an allowance. Times are milliseconds of one clock that never goes back. */
export interface Allowance {
  readonly left: number
  readonly atMs: number
}

/** How large an allowance is, and how much of it comes back in each second. */
export interface AllowanceRate {
  readonly atOnce: number
  readonly eachSecond: number
}

/** For messages that are refused: a client that waits for its answers may make many mistakes. */
export const refusedMessages: AllowanceRate = { atOnce: 8_192, eachSecond: 1_024 }

/** For runs of feeds that are refused. */
export const refusedRuns: AllowanceRate = { atOnce: 256, eachSecond: 64 }

/** A whole allowance. */
export const freshAllowance = ({ atOnce }: AllowanceRate, nowMs: number): Allowance => ({ left: atOnce, atMs: nowMs })

/**
 * What is left after something of this weight at `nowMs`; below zero when the allowance did not cover it, and never so far
 * below that it takes more than a second to come back.
 */
export const afterRefusal = ({ atMs, left }: Allowance, { atOnce, eachSecond }: AllowanceRate, nowMs: number, weight = 1): Allowance => {
  const before = Math.min(atOnce, left + (Math.max(0, nowMs - atMs) * eachSecond) / 1_000)
  return { left: Math.max(before - weight, -eachSecond), atMs: nowMs }
}
