/** One project's credits while operations are applied: a snapshot and its changes so far. */
import { type Balance, remainingOf } from "./balance.ts"
import { type Account, afterPost, type ChargedRun } from "./credits.ts"
import type { EntryKind, JournalEntry } from "./journalEntry.ts"
import type { UsageLimit } from "../accounts/project.ts"
import { chargedAnswer, type UnchargedAnswer } from "../runs/idempotency.ts"
import { type ChosenTime, judgeTime, type StoredTime } from "../runs/storedTime.ts"
import type { DatedRun, DateRun, LedgerChanges, LedgerOutcome, PostedReport } from "./ledgerOperation.ts"
import {
  type HoldRecord,
  type LedgerSnapshot,
  periodKey,
  type PeriodUsage,
  undrawnOf,
  type UsagePeriod,
  usagePeriodAt
} from "./ledgerSnapshot.ts"

/** A snapshot and its changes so far. */
export interface Draft<Report extends ChargedRun = ChargedRun> {
  readonly before: LedgerSnapshot
  account: Account
  readonly entries: Array<JournalEntry>
  readonly holds: Map<string, HoldRecord>
  /** The periods that changed. */
  readonly usage: Map<string, PeriodUsage>
  readonly reports: Array<PostedReport<Report>>
  readonly charged: Map<string, string | null>
  /** The drIds with another last timestamp. */
  readonly times: Map<string, StoredTime>
  /** No open hold's lease ends before this time. */
  nextLeaseEndMs: number
}

const leaseEnds = (holds: Iterable<HoldRecord>): number => {
  let next = Number.POSITIVE_INFINITY
  for (const { leaseEndMs, state } of holds) if (state === "held") next = Math.min(next, leaseEndMs)
  return next
}

/** A draft without changes. */
export const draftOf = <Report extends ChargedRun>(before: LedgerSnapshot): Draft<Report> => ({
  before,
  account: before.account,
  entries: [],
  holds: new Map(before.holds),
  usage: new Map(),
  reports: [],
  charged: new Map(before.charged),
  times: new Map(),
  nextLeaseEndMs: leaseEnds(before.holds.values())
})

/** The number of the last journal entry so far. */
export const lastEntryOf = ({ before, entries }: Draft): number => before.lastEntry + entries.length

/** Appends a journal entry. */
export const enter = (draft: Draft, kind: EntryKind, credits: bigint, holdId: string | null, atMs: number): void => {
  draft.entries.push({ entry: lastEntryOf(draft) + 1, kind, credits, holdId, atMs })
}

const usageIn = ({ before, usage }: Draft, period: UsagePeriod | null): bigint => {
  if (period === null) return 0n
  const key = periodKey(period)
  return (usage.get(key) ?? before.usage.get(key))?.credits ?? 0n
}

/** Adds to the usage of a period (takes away, if negative). */
export const addUsage = (draft: Draft, period: UsagePeriod | null, credits: bigint): void => {
  if (period === null || credits === 0n) return
  draft.usage.set(periodKey(period), { period, credits: usageIn(draft, period) + credits })
}

/** What new holds may take: what is not drawn of an escrow is not available. */
export const availableIn = (draft: Draft, limit: Pick<UsageLimit, "periodMs"> | null, nowMs: number): Balance => ({
  ...draft.account,
  periodUsed: usageIn(draft, usagePeriodAt(limit, nowMs))
})

/** The balance as clients see it: what is not drawn of an escrow is not held. */
export const balanceIn = (draft: Draft, limit: Pick<UsageLimit, "periodMs"> | null, nowMs: number): Balance => {
  const balance = availableIn(draft, limit, nowMs)
  const period = usagePeriodAt(limit, nowMs)
  let { held, periodUsed } = balance
  for (const hold of draft.holds.values()) {
    const undrawn = undrawnOf(hold)
    held -= undrawn
    if (period !== null && hold.period !== null && periodKey(hold.period) === periodKey(period)) periodUsed -= undrawn
  }
  return { ...balance, held, periodUsed }
}

/** Adds or replaces an open hold. */
export const putOpen = (draft: Draft, hold: HoldRecord): void => {
  draft.holds.set(hold.holdId, hold)
  draft.nextLeaseEndMs = Math.min(draft.nextLeaseEndMs, hold.leaseEndMs)
}

/** Adds to what an open hold holds (takes away, if negative), in the account and in its period. The entry is the caller's. */
export const addHeld = (draft: Draft, hold: HoldRecord, credits: bigint): void => {
  draft.account = { ...draft.account, held: draft.account.held + credits }
  addUsage(draft, hold.period, credits)
  putOpen(draft, { ...hold, amount: hold.amount + credits })
}

/** Resolves an open hold: `posted` credits are used, the rest returns to the account and to its period. */
export const resolve = (draft: Draft, hold: HoldRecord, kind: "post" | "void" | "expire", posted: bigint, atMs: number): void => {
  draft.account = afterPost(draft.account, hold.amount, posted)
  draft.holds.set(hold.holdId, { ...hold, state: kind === "post" ? "posted" : "voided" })
  addUsage(draft, hold.period, posted - hold.amount)
  enter(draft, kind, kind === "post" ? posted : hold.amount, hold.holdId, atMs)
}

/** A hold is void as soon as its lease has ended, whichever operation notices it. */
export const expire = (draft: Draft, nowMs: number): void => {
  if (nowMs < draft.nextLeaseEndMs) return
  for (const hold of draft.holds.values()) {
    if (hold.state === "held" && hold.leaseEndMs <= nowMs) resolve(draft, hold, "expire", 0n, nowMs)
  }
  draft.nextLeaseEndMs = leaseEnds(draft.holds.values())
}

/** A run that is about to be charged, under the timestamp that is its own; noted. An outcome means that it cannot be charged with it. */
export const datedRun = <Report extends ChargedRun>(
  { before, times }: Draft<Report>,
  {
    answer,
    chosen,
    dated,
    report
  }: DatedRun<Report> & { readonly chosen?: ChosenTime | undefined; readonly dated?: DateRun<Report> | undefined }
): DatedRun<Report> | (LedgerOutcome & { readonly kind: "stale" }) => {
  const asItIs = { report, answer }
  if (chosen === undefined) return asItIs
  const { stands, stored, timestampMs } = judgeTime(times.get(chosen.drId) ?? before.times.get(chosen.drId), chosen)
  times.set(chosen.drId, stored)
  return dated?.(timestampMs) ?? (stands ? asItIs : { kind: "stale", timestampMs })
}

/** The report of a run that was charged, and the answer under its key, which tells the balance after it. */
export const putReport = <Report extends ChargedRun>(
  draft: Draft<Report>,
  report: Omit<PostedReport<Report>, "answer">,
  answer: UnchargedAnswer | undefined,
  { balance, nowMs }: { readonly balance: Balance; readonly nowMs: number }
): void => {
  draft.reports.push({ answer: answer === undefined ? undefined : chargedAnswer(answer, remainingOf(balance), nowMs), ...report })
}

/** What is to be written. */
export const changesOf = <Report extends ChargedRun>(draft: Draft<Report>): LedgerChanges<Report> => {
  const { account, before, entries, holds, reports, times, usage } = draft
  const taken: Array<HoldRecord> = []
  const changed: Array<HoldRecord> = []
  const resolved: Array<HoldRecord> = []
  for (const hold of holds.values()) {
    const known = before.holds.get(hold.holdId)
    if (known === hold) continue
    if (known === undefined) taken.push(hold)
    else if (hold.state === "held") changed.push(hold)
    else resolved.push(hold)
  }
  const lastEntry = lastEntryOf(draft)
  return {
    projectId: before.projectId,
    account,
    lastEntry,
    entries,
    taken,
    changed,
    resolved,
    usage: [...usage.values()],
    reports,
    times: [...times].map(([drId, time]) => ({ drId, ...time }))
  }
}

/** Whether there is anything to write. */
export const isChange = ({ changed, entries, times }: Pick<LedgerChanges, "entries" | "changed" | "times">): boolean =>
  entries.length > 0 || changed.length > 0 || times.length > 0
