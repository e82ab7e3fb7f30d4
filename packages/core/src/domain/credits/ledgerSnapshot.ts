/** A project's credits as read by one transaction, before it changes them. */
import type { UsageLimit } from "../accounts/project.ts"
import type { StoredTime } from "../runs/storedTime.ts"
import { type Hold, periodStartMs } from "./balance.ts"
import type { Account } from "./credits.ts"

/** One period of a usage limit; a limit with another period length starts from zero. */
export interface UsagePeriod {
  readonly periodMs: number
  readonly startMs: number
}

/** Credits held or used in a period. */
export interface PeriodUsage {
  readonly period: UsagePeriod
  readonly credits: bigint
}

/** The state of a hold. */
export type HoldState = "held" | "posted" | "voided"

/**
 * The state of an escrow: `open`; `recalled`, because another server needs the credits; `drained`, when its server has given back what was
 * not drawn, and draws nothing more.
 */
export type EscrowState = "open" | "recalled" | "drained"

/** What an escrow has that other holds have not. */
export interface EscrowRecord {
  readonly state: EscrowState
  /** What the runs of its server have drawn of its amount, as of the last write. */
  readonly drawn: bigint
}

/** A hold with all its stored fields. */
export interface HoldRecord extends Hold {
  readonly state: HoldState
  /** `null` for the hold of one run. */
  readonly escrow: EscrowRecord | null
  /** An open hold is void from this time on. */
  readonly leaseEndMs: number
  /** The period it counts towards; `null` if there was no limit. */
  readonly period: UsagePeriod | null
}

/**
 * A project's credits before a transaction changes them. Holds, usage, charged runs and times may be more than a `LedgerQuery` asks for, never
 * fewer.
 */
export interface LedgerSnapshot {
  readonly projectId: string
  readonly account: Account
  /** The number of the last journal entry; 0 if there is none. */
  readonly lastEntry: number
  /** By id. */
  readonly holds: ReadonlyMap<string, HoldRecord>
  /** By {@link periodKey}. A missing period has no usage. */
  readonly usage: ReadonlyMap<string, PeriodUsage>
  /** By the id of its report, the drawn hold that paid for a run; `null` if it had a hold of its own. */
  readonly charged: ReadonlyMap<string, string | null>
  /** By drId. */
  readonly times: ReadonlyMap<string, StoredTime>
}

/** What an open escrow holds for runs to come; 0 for other holds. */
export const undrawnOf = ({ amount, escrow, state }: HoldRecord): bigint =>
  state === "held" && escrow !== null && escrow.drawn < amount ? amount - escrow.drawn : 0n

/** The key of a period within its project. */
export const periodKey = ({ periodMs, startMs }: UsagePeriod): string => `${periodMs}/${startMs}`

/** The period that contains `nowMs`, for a usage limit or another period's length; `null` without a limit. */
export const usagePeriodAt = (limit: Pick<UsageLimit, "periodMs"> | null, nowMs: number): UsagePeriod | null =>
  limit === null ? null : { periodMs: limit.periodMs, startMs: periodStartMs(nowMs, limit.periodMs) }
