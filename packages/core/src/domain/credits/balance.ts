/** A project's credits: granted, used, held and remaining (decisions D31-D33). */

/** Integer credits. `granted`, `used`, `held` and the remaining credits are never negative. */
export interface Balance {
  readonly granted: bigint
  readonly used: bigint
  readonly held: bigint
  /** Held or used in the current period of the usage limit; 0 without a limit. */
  readonly periodUsed: bigint
}

/** Credits reserved for one run until its price is known, or for the runs of a server: an escrow. */
export interface Hold {
  readonly holdId: string
  readonly projectId: string
  readonly amount: bigint
  /** The escrow from which it was drawn, if it was: such a hold is in the memory of one server only. */
  readonly escrowId?: string
}

/** Whether what a ledger has answered is a balance: one that is written without types may answer anything. */
export const isBalance = (answered: unknown): answered is Balance => {
  if (typeof answered !== "object" || answered === null) return false
  const { granted, held, periodUsed, used }: Partial<Balance> = answered
  return [granted, used, held, periodUsed].every((credits) => typeof credits === "bigint")
}

/** Whether what a ledger has answered is a hold. */
export const isHold = (answered: unknown): answered is Hold => {
  if (typeof answered !== "object" || answered === null) return false
  const { amount, holdId, projectId }: Partial<Hold> = answered
  return typeof holdId === "string" && typeof projectId === "string" && typeof amount === "bigint"
}

/** The balance of a project without any grant. */
export const emptyBalance: Balance = { granted: 0n, used: 0n, held: 0n, periodUsed: 0n }

/** The credits that are available for new holds. */
export const remainingOf = (balance: Balance): bigint => balance.granted - balance.used - balance.held

/** The start of the period that contains `nowMs`; periods are aligned to the Unix epoch. */
export const periodStartMs = (nowMs: number, periodMs: number): number => nowMs - (nowMs % periodMs)
