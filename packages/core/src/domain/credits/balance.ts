/** A project's credits: what was granted, used and is held, and what remains (decisions D31-D33). */

/** Integer credits. `granted`, `used` and `held` never go below zero, nor does what remains. */
export interface Balance {
  readonly granted: bigint
  readonly used: bigint
  readonly held: bigint
  /** Held or used in the current period of the usage limit; 0 where the project has none. */
  readonly periodUsed: bigint
}

/** Credits put aside for one run until its true price is known. */
export interface Hold {
  readonly holdId: string
  readonly projectId: string
  readonly amount: bigint
}

/** The balance of a project that was granted nothing. */
export const emptyBalance: Balance = { granted: 0n, used: 0n, held: 0n, periodUsed: 0n }

/** What a new hold may still take. */
export const remainingOf = (balance: Balance): bigint => balance.granted - balance.used - balance.held

/** The start of the period that `nowMs` is in; periods are aligned to the Unix epoch. */
export const periodStartMs = (nowMs: number, periodMs: number): number => nowMs - (nowMs % periodMs)
