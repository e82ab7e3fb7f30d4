/** The arithmetic of holds: when one is refused, and what taking, posting and returning it changes (decisions D15, D31-D33). */
import { type Balance, periodStartMs, remainingOf } from "./balance.ts"
import type { UsageLimit } from "../accounts/project.ts"

/** A project's credits without usage periods: granted = remaining + used + held, none of them negative. */
export type Account = Omit<Balance, "periodUsed">

/** What the decisions about credits need of a report. */
export interface ChargedRun {
  readonly id: string
  readonly projectId: string
  readonly cost: { readonly total: bigint }
}

/** Why a hold was not taken, as plain values that a store can pass between threads; `holdErrorOf` makes the caller's error of it. */
export type HoldRefusal =
  | { readonly _tag: "InsufficientCredits"; readonly message: string; readonly details: Readonly<Record<string, string>> }
  | {
      readonly _tag: "CreditLimitExceeded"
      readonly message: string
      readonly details: Readonly<Record<string, string>>
      /** When the current period ends. */
      readonly retryAfterSeconds: number
    }

/** Whole seconds until the current period ends, rounded up, at least one. */
export const secondsLeftInPeriod = (nowMs: number, periodMs: number): number =>
  Math.max(1, Math.ceil((periodStartMs(nowMs, periodMs) + periodMs - nowMs) / 1000))

const holdText = (amount: bigint): string => `A run holds ${amount} credits until its cost is known, and gets back what it does not cost`

/** Why `amount` cannot be held now; `undefined` if it can. An insufficient balance takes precedence over a reached limit. */
export const holdRefusal = (balance: Balance, usageLimit: UsageLimit | null, amount: bigint, nowMs: number): HoldRefusal | undefined => {
  const remaining = remainingOf(balance)
  if (remaining < amount) {
    return {
      _tag: "InsufficientCredits",
      message: `${holdText(amount)}; ${remaining} remain`,
      details: { required: `${amount}`, remaining: `${remaining}` }
    }
  }
  if (usageLimit === null || balance.periodUsed + amount <= usageLimit.credits) return undefined
  const used = `${balance.periodUsed} of ${usageLimit.credits} are held or used in this period`
  const never = amount > usageLimit.credits ? ". No hold of this size fits into the project's usage limit" : ""
  return {
    _tag: "CreditLimitExceeded",
    message: `${holdText(amount)}; ${used}${never}`,
    details: { required: `${amount}`, limit: `${usageLimit.credits}`, used: `${balance.periodUsed}` },
    retryAfterSeconds: secondsLeftInPeriod(nowMs, usageLimit.periodMs)
  }
}

/** How much of a price is posted: at most what was held, and never a negative amount. */
export const postedOf = (held: bigint, price: bigint): bigint => {
  if (price < 0n) return 0n
  return price < held ? price : held
}

/** The account after a hold of `amount`. */
export const afterHold = (account: Account, amount: bigint): Account => ({ ...account, held: account.held + amount })

/** The account after posting `posted` of a hold of `amount` and returning the rest. */
export const afterPost = (account: Account, amount: bigint, posted: bigint): Account => ({
  ...account,
  used: account.used + posted,
  held: account.held - amount
})

/** The report as stored: its total is what was posted, so that a project's reports add up to its used credits. */
export const chargedReport = <Report extends ChargedRun>(report: Report, posted: bigint): Report =>
  report.cost.total === posted ? report : { ...report, cost: { ...report.cost, total: posted } }
