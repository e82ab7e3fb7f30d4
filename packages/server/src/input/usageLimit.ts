/** A project's usage limit as people write it: `1000/24h`, or `none`. */
import type { UsageLimit } from "@sibyl/core"
import { usagePeriodMs } from "@sibyl/core/internal"
import { Option } from "effect"
import { amountText, readAmount } from "./amount.ts"
import { durationMs, durationText } from "./duration.ts"

/** The rule of a usage limit; completes "must be". */
export const usageLimitRule = `credits for a period of ${durationText(usagePeriodMs.least)} to ${durationText(usagePeriodMs.most)}, such as 1000/24h, or none`

/** The limit; `null` for none. */
export const readUsageLimit = (text: string): Option.Option<UsageLimit | null> => {
  if (text === "none") return Option.some(null)
  const [credits = "", period = "", ...rest] = text.split("/")
  if (rest.length > 0) return Option.none()
  const periodMs = Option.filter(durationMs(period), (ms) => ms >= usagePeriodMs.least && ms <= usagePeriodMs.most)
  return Option.all({ credits: readAmount(credits), periodMs })
}

/** The limit as a person writes it. */
export const usageLimitText = (limit: UsageLimit | null): string =>
  limit === null ? "none" : `${amountText(limit.credits)}/${durationText(limit.periodMs)}`
