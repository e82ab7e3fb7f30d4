/** A project's credits as one transaction knows them: the account, the holds that matter to it, and what it changes. */
import {
  type Account,
  type Balance,
  type ExecutionReport,
  type Hold,
  type JournalEntry,
  periodStartMs,
  type StorageWrite
} from "@sibyl/core"

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
export interface StoredHold extends Hold {
  readonly state: HoldState
  readonly leaseEndMs: number
  /** The period that it counts to, `null` where there was no limit. */
  readonly period: UsagePeriod | null
}

/** A report under the journal entry of its charge. */
export interface EnteredReport {
  readonly entry: number
  readonly report: ExecutionReport
  /** What its execution program keeps from now on. */
  readonly storage: ReadonlyArray<StorageWrite>
}

/** What is to be written when a book is closed. */
export interface BookChanges {
  readonly entries: ReadonlyArray<JournalEntry>
  /** Ids of holds that are new. */
  readonly taken: ReadonlySet<string>
  /** Ids of stored holds whose lease ends later than it did. */
  readonly renewed: ReadonlySet<string>
  /** Ids of stored holds that were resolved. */
  readonly resolved: ReadonlySet<string>
  /** Keys of the periods whose usage changed. */
  readonly periods: ReadonlySet<string>
  readonly reports: ReadonlyArray<EnteredReport>
}

/** An open book. */
export interface Book {
  readonly projectId: string
  readonly account: Account
  readonly lastEntry: number
  /** By id: the holds that were asked for, and every open one whose lease is over. */
  readonly holds: ReadonlyMap<string, StoredHold>
  /** By {@link periodKey}: the periods that were asked for. */
  readonly usage: ReadonlyMap<string, PeriodUsage>
  /** Of the ids of reports that were asked for, those that the project has. */
  readonly reportIds: ReadonlySet<string>
  readonly changes: BookChanges
}

/** A book in which nothing was done yet. */
export const noChanges: BookChanges = {
  entries: [],
  taken: new Set(),
  renewed: new Set(),
  resolved: new Set(),
  periods: new Set(),
  reports: []
}

/** The name of a period within its project. */
export const periodKey = ({ periodMs, startMs }: UsagePeriod): string => `${periodMs}/${startMs}`

/** The period of a usage limit, or of an earlier period's length, that `nowMs` is in; `null` without a limit. */
export const usagePeriodAt = (limit: { readonly periodMs: number } | null, nowMs: number): UsagePeriod | null =>
  limit === null ? null : { periodMs: limit.periodMs, startMs: periodStartMs(nowMs, limit.periodMs) }

/** Credits held or used in a period that the book knows; 0 for none. */
export const usageIn = ({ usage }: Pick<Book, "usage">, period: UsagePeriod | null): bigint =>
  period === null ? 0n : (usage.get(periodKey(period))?.credits ?? 0n)

/** The balance at `nowMs` under a limit. */
export const balanceIn = (
  book: Pick<Book, "account" | "usage">,
  limit: { readonly periodMs: number } | null,
  nowMs: number
): Balance => ({ ...book.account, periodUsed: usageIn(book, usagePeriodAt(limit, nowMs)) })
