/** How many refusals a client may cause: they cost it no credits, but they cost the service time (decision D41). */

/** What is left of an allowance. Times are milliseconds of the monotonic clock. */
export interface Allowance {
  readonly left: number
  readonly atMs: number
}

/** The size of an allowance, and how much of it is restored each second. */
export interface AllowanceRate {
  readonly atOnce: number
  readonly eachSecond: number
}

/** For refused messages. A client that waits for its answers never exhausts it. */
export const refusedMessages: AllowanceRate = { atOnce: 8_192, eachSecond: 1_024 }

/** This many characters of a refused message count as one more refusal, because parsing them takes time too. */
export const charsOfARefusal = 4_096

/** For refused runs of feeds. */
export const refusedRuns: AllowanceRate = { atOnce: 256, eachSecond: 64 }

/** A full allowance. */
export const freshAllowance = ({ atOnce }: AllowanceRate, nowMs: number): Allowance => ({ left: atOnce, atMs: nowMs })

/**
 * What is left after a refusal of this weight at `nowMs`. Negative if the allowance did not cover it, but never by more
 * than is restored in one second.
 */
export const afterRefusal = ({ atMs, left }: Allowance, { atOnce, eachSecond }: AllowanceRate, nowMs: number, weight = 1): Allowance => {
  const before = Math.min(atOnce, left + (Math.max(0, nowMs - atMs) * eachSecond) / 1_000)
  return { left: Math.max(before - weight, -eachSecond), atMs: nowMs }
}
