/** An independent model of the equity session program, from decision D42 alone: sessions by `Intl`, rates by fractions. */
import { type Fraction, fractionOf, plus, printed, roundedTo, scaled, times } from "./exactNumbers.ts"

/** The sessions in the order of the inputs. */
export const sessions = ["PREMARKET", "NORMAL", "POSTMARKET", "OVERNIGHT"] as const

/** The price of one session's feed. */
export interface SessionPrice {
  readonly mantissa: bigint
  readonly expo: number
  /** Epoch seconds. */
  readonly publishTime: number
}

const newYork = new Intl.DateTimeFormat("en-US", {
  timeZone: "America/New_York",
  weekday: "short",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23"
})

/** The session at a time in epoch milliseconds, as an index into {@link sessions}; `undefined` if there is none. */
export const sessionAt = (timeMs: number): number | undefined => {
  const parts = new Map(newYork.formatToParts(timeMs).map(({ type, value }) => [type, value]))
  const day = parts.get("weekday") ?? ""
  const time = `${parts.get("hour")}:${parts.get("minute")}`
  const workday = ["Mon", "Tue", "Wed", "Thu", "Fri"].includes(day)
  if (time >= "20:00") return ["Sun", "Mon", "Tue", "Wed", "Thu"].includes(day) ? 3 : undefined
  if (!workday) return undefined
  if (time < "04:00") return 3
  if (time < "09:30") return 0
  return time < "16:00" ? 1 : 2
}

/** Why weights (four decimal texts from 0 to 100) cannot be percent, or `undefined` if they can. */
export const weightsRefusal = (weights: ReadonlyArray<string>): string | undefined => {
  const numbers = weights.map(Number)
  const at = numbers.findIndex((weight) => weight > 0 && weight < 1)
  const unit = "weights are percent, 85.5 and not 0.855"
  if (at >= 0) return `${unit}: weights[${at}] is between 0 and 1`
  return Math.max(...numbers) === 1 ? `${unit}: none of these is above 1` : undefined
}

/** The result's bytes as text, or `undefined` if the rate rounds to zero. Weights are decimal texts. */
export const equityResult = (
  timeMs: number,
  prices: ReadonlyArray<SessionPrice>,
  weights: ReadonlyArray<string>,
  source: string
): string | undefined => {
  const open = sessionAt(timeMs)
  const at = open ?? 2
  const priceOf = (index: number): SessionPrice => {
    const price = prices[index]
    if (price === undefined) throw new Error("four prices are needed")
    return price
  }
  const own = priceOf(at)
  const stale = timeMs > own.publishTime * 1_000 + 60_000
  const newest = prices.reduce((best, price) => (price.publishTime > best.publishTime ? price : best), own)
  const used = stale ? newest : own
  const reference = priceOf(at === 0 ? 3 : at - 1)

  const weight: Fraction = times(fractionOf(weights[at] ?? ""), { numerator: 1n, denominator: 100n })
  const rest: Fraction = { numerator: weight.denominator - weight.numerator, denominator: weight.denominator }
  const value = ({ expo, mantissa }: SessionPrice) => scaled(mantissa, expo)
  const mantissa = roundedTo(plus(times(weight, value(used)), times(rest, value(reference))), own.expo)
  if (mantissa === 0n) return undefined
  // Twelve places are more than any weight here has.
  const number = (fraction: Fraction) => printed(roundedTo(fraction, -12), -12)
  return (
    `{"composite_rate":${printed(mantissa, own.expo)},"price":{"mantissa":"${mantissa}","expo":${own.expo}},` +
    `"active_session":"${sessions[at]}","weights":{"session":${number(weight)},"reference":${number(rest)}},` +
    `"timestamp":"${new Date(used.publishTime * 1_000).toISOString()}","sources_used":[${JSON.stringify(source)}],` +
    `"was_stale":${stale || open === undefined},"market":"${open === undefined ? "closed" : "open"}",` +
    '"weights_unit":"fraction"}'
  )
}
