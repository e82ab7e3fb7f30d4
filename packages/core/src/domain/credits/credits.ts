/** The arithmetic of holds: when one is refused, what taking, posting and returning it does (decisions D15, D31-33). */
import { CreditLimitExceeded, InsufficientCredits } from "../../contract/errors.ts"
import { type Balance, periodStartMs, remainingOf } from "./balance.ts"
import type { ExecutionReport } from "../reports/executionReport.ts"
import type { UsageLimit } from "../accounts/project.ts"

/** A project's credits without the period's: granted = remaining + used + held, all of them zero or more. */
export type Account = Omit<Balance, "periodUsed">

/** Why a hold was not taken. */
export type HoldRefusal = InsufficientCredits | CreditLimitExceeded

/** Whole seconds until the period that `nowMs` is in ends, rounded up, at least one. */
export const secondsLeftInPeriod = (nowMs: number, periodMs: number): number =>
  Math.max(1, Math.ceil((periodStartMs(nowMs, periodMs) + periodMs - nowMs) / 1000))

const holdText = (amount: bigint): string => `A run holds ${amount} credits until its cost is known, and gets back what it does not cost`

/** Why `amount` cannot be held now, `undefined` when it can. An empty balance is told before a reached limit. */
export const holdRefusal = (balance: Balance, usageLimit: UsageLimit | null, amount: bigint, nowMs: number): HoldRefusal | undefined => {
  const remaining = remainingOf(balance)
  if (remaining < amount) {
    return new InsufficientCredits({
      message: `${holdText(amount)}; ${remaining} remain`,
      details: { required: `${amount}`, remaining: `${remaining}` }
    })
  }
  if (usageLimit === null || balance.periodUsed + amount <= usageLimit.credits) return undefined
  const used = `${balance.periodUsed} of ${usageLimit.credits} are held or used in this period`
  const never = amount > usageLimit.credits ? ". No hold of this size fits into the project's usage limit" : ""
  return new CreditLimitExceeded({
    message: `${holdText(amount)}; ${used}${never}`,
    details: { required: `${amount}`, limit: `${usageLimit.credits}`, used: `${balance.periodUsed}` },
    retryAfterSeconds: secondsLeftInPeriod(nowMs, usageLimit.periodMs)
  })
}

/** What is posted of a price: never more than was held, never less than nothing. */
export const postedOf = (held: bigint, price: bigint): bigint => {
  if (price < 0n) return 0n
  return price < held ? price : held
}

/** The account after `amount` was held. */
export const afterHold = (account: Account, amount: bigint): Account => ({ ...account, held: account.held + amount })

/** The account after `posted` of a hold of `amount` was used and the rest returned. */
export const afterPost = (account: Account, amount: bigint, posted: bigint): Account => ({
  ...account,
  used: account.used + posted,
  held: account.held - amount
})

/** The report as it is kept: its total is what was posted, so that a project's reports add up to what it used. */
export const chargedReport = (report: ExecutionReport, posted: bigint): ExecutionReport =>
  report.cost.total === posted ? report : { ...report, cost: { ...report.cost, total: posted } }
