/** Numbers among the options: what is none, or what a timer cannot wait for, is refused. */
import { InvalidOption } from "../errors/clientError.ts"

/** The longest time that a timer of any runtime waits; longer ones end at once. */
const longestMs = 2_147_483_647

/** The same time. Throws {@link InvalidOption}. */
export const checkedMs = (what: string, ms: number, least: number): number => {
  if (typeof ms === "number" && ms >= least && ms <= longestMs) return ms
  throw new InvalidOption(what, `must be a number of milliseconds from ${least} to ${longestMs}`)
}

/** The same count. Throws {@link InvalidOption}. */
export const checkedCount = (what: string, count: number): number => {
  if ((Number.isSafeInteger(count) && count >= 1) || count === Number.POSITIVE_INFINITY) return count
  throw new InvalidOption(what, "must be a whole number of at least 1, or Infinity")
}
