/** What one transaction knows of a project's credits before it changes them. */
import type { UsageLimit } from "../accounts/project.ts"
import { type Hold, periodStartMs } from "./balance.ts"
import type { Account } from "./credits.ts"

/** One period of a usage limit; a limit of another length counts anew. */
export interface UsagePeriod {
  readonly periodMs: number
  readonly startMs: number
}

/** Credits held or used in a period. */
export interface PeriodUsage {
  readonly period: UsagePeriod
  readonly credits: bigint
}

/** What became of a hold. */
export type HoldState = "held" | "posted" | "voided"

/** A hold with everything that is kept of it. */
export interface HoldRecord extends Hold {
  readonly state: HoldState
  /** An open hold is void from then on. */
  readonly leaseEndMs: number
  /** The period that it counts to, `null` where there was no limit. */
  readonly period: UsagePeriod | null
}

/**
 * A project's credits before a transaction changes them. Holds, usage and report ids may be more than a `LedgerQuery`
 * asks for, never less.
 */
export interface LedgerSnapshot {
  readonly projectId: string
  readonly account: Account
  /** The number of the journal's last entry, 0 for none. */
  readonly lastEntry: number
  /** By id. */
  readonly holds: ReadonlyMap<string, HoldRecord>
  /** By {@link periodKey}. A period that is not there has no usage. */
  readonly usage: ReadonlyMap<string, PeriodUsage>
  readonly reportIds: ReadonlySet<string>
}

/** The name of a period within its project. */
export const periodKey = ({ periodMs, startMs }: UsagePeriod): string => `${periodMs}/${startMs}`

/** The period of a usage limit, or of an earlier period's length, that `nowMs` is in; `null` without a limit. */
export const usagePeriodAt = (limit: Pick<UsageLimit, "periodMs"> | null, nowMs: number): UsagePeriod | null =>
  limit === null ? null : { periodMs: limit.periodMs, startMs: periodStartMs(nowMs, limit.periodMs) }
