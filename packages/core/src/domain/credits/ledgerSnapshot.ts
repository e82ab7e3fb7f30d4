/** A project's credits as read by one transaction, before it changes them. */
import type { UsageLimit } from "../accounts/project.ts"
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

/** A hold with all its stored fields. */
export interface HoldRecord extends Hold {
  readonly state: HoldState
  /** An open hold is void from this time on. */
  readonly leaseEndMs: number
  /** The period it counts towards; `null` if there was no limit. */
  readonly period: UsagePeriod | null
}

/**
 * A project's credits before a transaction changes them. Holds, usage and report ids may be more than a `LedgerQuery` asks for, never
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
  readonly reportIds: ReadonlySet<string>
}

/** The key of a period within its project. */
export const periodKey = ({ periodMs, startMs }: UsagePeriod): string => `${periodMs}/${startMs}`

/** The period that contains `nowMs`, for a usage limit or another period's length; `null` without a limit. */
export const usagePeriodAt = (limit: Pick<UsageLimit, "periodMs"> | null, nowMs: number): UsagePeriod | null =>
  limit === null ? null : { periodMs: limit.periodMs, startMs: periodStartMs(nowMs, limit.periodMs) }
