/** The faults of a simulated market. */

/**
 * A fault of the upstream:
 * - `missing`: 404, as for an id nobody publishes
 * - `tooManyRequests`: 429
 * - `serverError`: 500
 * - `malformed`: 200 with JSON that breaks off
 * - `notJson`: 200 with a page of HTML
 * - `empty`: 200 with no price in it
 * - `stale`: prices of {@link staleAgeS} seconds ago
 * - `negativePrice`, `zeroPrice`
 * - `hugeExponent`: a price of 10^{@link hugeExponent} units
 * - `hang`: no answer, ever
 * - `reset`: the connection is cut in the middle of the answer
 */
export type MarketFault =
  | "missing"
  | "tooManyRequests"
  | "serverError"
  | "malformed"
  | "notJson"
  | "empty"
  | "stale"
  | "negativePrice"
  | "zeroPrice"
  | "hugeExponent"
  | "hang"
  | "reset"

/** Every fault, for tests that walk through them. */
export const marketFaults: ReadonlyArray<MarketFault> = [
  "missing",
  "tooManyRequests",
  "serverError",
  "malformed",
  "notJson",
  "empty",
  "stale",
  "negativePrice",
  "zeroPrice",
  "hugeExponent",
  "hang",
  "reset"
]

/** The age of `stale` prices: a week, beyond what any program accepts. */
export const staleAgeS = 604_800

/** The exponent of `hugeExponent`. */
export const hugeExponent = 1_000_000
