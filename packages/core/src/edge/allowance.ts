/** How much a client may ask in vain: what is refused costs it nothing, but us time (decision D41). */

/** What is left of an allowance. Times are milliseconds of one clock that never goes back. */
export interface Allowance {
  readonly left: number
  readonly atMs: number
}

/** So much at once. */
export const mostAtOnce = 256

/** And so much again in each second. */
const eachSecond = 64

/** A whole allowance. */
export const freshAllowance = (nowMs: number): Allowance => ({ left: mostAtOnce, atMs: nowMs })

/**
 * What is left after something of this weight at `nowMs`; below zero when the allowance did not cover it, and never so far
 * below that it takes more than a second to come back.
 */
export const afterRefusal = ({ atMs, left }: Allowance, nowMs: number, weight = 1): Allowance => {
  const before = Math.min(mostAtOnce, left + (Math.max(0, nowMs - atMs) * eachSecond) / 1_000)
  return { left: Math.max(before - weight, -eachSecond), atMs: nowMs }
}
