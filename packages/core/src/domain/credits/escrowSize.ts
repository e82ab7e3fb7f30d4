/** How many credits a server holds for the runs of a project in advance. */
import { type Balance, remainingOf } from "./balance.ts"
import type { UsageLimit } from "../accounts/project.ts"

/** One escrow takes at most this part of what is available, so that servers side by side leave credits for each other. */
const shareOfAvailable = 4n

/** The most that is added to an escrow at once: a part of what remains, and of what the usage limit still allows. */
export const escrowShare = (available: Balance, usageLimit: UsageLimit | null): bigint => {
  const remaining = remainingOf(available)
  const allowed = usageLimit === null ? remaining : usageLimit.credits - available.periodUsed
  const least = remaining < allowed ? remaining : allowed
  return least > 0n ? least / shareOfAvailable : 0n
}

/** What a project's runs on this server have needed. */
export interface CreditDemand {
  /** The largest hold of one run. */
  readonly amount: bigint
  /** The most that was drawn at the same time. */
  readonly peakDrawn: bigint
  /** What the runs of about one second cost. */
  readonly spentPerSecond: bigint
}

const runsAhead = 4n
const peaksAhead = 2n
const secondsAhead = 4n

/** The credits that an escrow should have: for twice the runs that were in flight, and for what runs cost in four seconds. */
export const escrowSize = ({ amount, peakDrawn, spentPerSecond }: CreditDemand): bigint =>
  runsAhead * amount + peaksAhead * peakDrawn + secondsAhead * spentPerSecond
