/** All decisions about credits: from a transaction's snapshots and operations to their outcomes and the changes to write. */
import type { Balance, Hold } from "./balance.ts"
import { type Account, afterHold, afterPost, type ChargedRun, chargedReport, holdRefusal, postedOf } from "./credits.ts"
import type { EntryKind, JournalEntry } from "./journalEntry.ts"
import type { UsageLimit } from "../accounts/project.ts"
import type { LedgerChanges, LedgerOperation, LedgerOutcome, PostedReport, TimedOperation } from "./ledgerOperation.ts"
import { type HoldRecord, type LedgerSnapshot, periodKey, type PeriodUsage, type UsagePeriod, usagePeriodAt } from "./ledgerSnapshot.ts"

/** A snapshot and its changes so far. */
interface Draft<Report extends ChargedRun = ChargedRun> {
  readonly before: LedgerSnapshot
  account: Account
  readonly entries: Array<JournalEntry>
  readonly holds: Map<string, HoldRecord>
  /** The periods that changed. */
  readonly usage: Map<string, PeriodUsage>
  readonly reports: Array<PostedReport<Report>>
  readonly reportIds: Set<string>
  /** No open hold's lease ends before this time. */
  nextLeaseEndMs: number
}

const leaseEnds = (holds: Iterable<HoldRecord>): number => {
  let next = Number.POSITIVE_INFINITY
  for (const { leaseEndMs, state } of holds) if (state === "held") next = Math.min(next, leaseEndMs)
  return next
}

const draftOf = <Report extends ChargedRun>(before: LedgerSnapshot): Draft<Report> => ({
  before,
  account: before.account,
  entries: [],
  holds: new Map(before.holds),
  usage: new Map(),
  reports: [],
  reportIds: new Set(before.reportIds),
  nextLeaseEndMs: leaseEnds(before.holds.values())
})

const lastEntryOf = ({ before, entries }: Draft): number => before.lastEntry + entries.length

const enter = (draft: Draft, kind: EntryKind, credits: bigint, holdId: string | null, atMs: number): void => {
  draft.entries.push({ entry: lastEntryOf(draft) + 1, kind, credits, holdId, atMs })
}

const usageIn = ({ before, usage }: Draft, period: UsagePeriod | null): bigint => {
  if (period === null) return 0n
  const key = periodKey(period)
  return (usage.get(key) ?? before.usage.get(key))?.credits ?? 0n
}

const addUsage = (draft: Draft, period: UsagePeriod | null, credits: bigint): void => {
  if (period === null || credits === 0n) return
  draft.usage.set(periodKey(period), { period, credits: usageIn(draft, period) + credits })
}

const balanceIn = (draft: Draft, limit: Pick<UsageLimit, "periodMs"> | null, nowMs: number): Balance => ({
  ...draft.account,
  periodUsed: usageIn(draft, usagePeriodAt(limit, nowMs))
})

/** Resolves an open hold: `posted` credits are used, the rest returns to the account and to its period. */
const resolve = (draft: Draft, hold: HoldRecord, kind: "post" | "void" | "expire", posted: bigint, atMs: number): void => {
  draft.account = afterPost(draft.account, hold.amount, posted)
  draft.holds.set(hold.holdId, { ...hold, state: kind === "post" ? "posted" : "voided" })
  addUsage(draft, hold.period, posted - hold.amount)
  enter(draft, kind, kind === "post" ? posted : hold.amount, hold.holdId, atMs)
}

/** A hold is void as soon as its lease has ended, whichever operation notices it. */
const expire = (draft: Draft, nowMs: number): void => {
  if (nowMs < draft.nextLeaseEndMs) return
  for (const hold of draft.holds.values()) {
    if (hold.state === "held" && hold.leaseEndMs <= nowMs) resolve(draft, hold, "expire", 0n, nowMs)
  }
  draft.nextLeaseEndMs = leaseEnds(draft.holds.values())
}

const done: LedgerOutcome = { kind: "done" }
const breach = (message: string): LedgerOutcome => ({ kind: "breach", message })
const noHold = (holdId: string): LedgerOutcome => breach(`hold ${holdId} does not exist`)

const take = (draft: Draft, operation: LedgerOperation & { readonly kind: "hold" }, nowMs: number): LedgerOutcome => {
  const { hold, leaseMs, usageLimit } = operation
  if (hold.amount < 0n) return breach(`a hold of ${hold.amount} credits`)
  // Already taken by a commit whose acknowledgement was lost.
  if (draft.holds.has(hold.holdId)) return done
  const refusal = holdRefusal(balanceIn(draft, usageLimit, nowMs), usageLimit, hold.amount, nowMs)
  if (refusal !== undefined) return { kind: "refused", refusal }
  const period = usagePeriodAt(usageLimit, nowMs)
  const leaseEndMs = nowMs + leaseMs
  draft.account = afterHold(draft.account, hold.amount)
  draft.holds.set(hold.holdId, { ...hold, state: "held", leaseEndMs, period })
  draft.nextLeaseEndMs = Math.min(draft.nextLeaseEndMs, leaseEndMs)
  addUsage(draft, period, hold.amount)
  enter(draft, "hold", hold.amount, hold.holdId, nowMs)
  return done
}

const renew = (draft: Draft, { hold: { holdId }, leaseMs }: LedgerOperation & { readonly kind: "renew" }, nowMs: number): LedgerOutcome => {
  const hold = draft.holds.get(holdId)
  if (hold === undefined) return noHold(holdId)
  if (hold.state !== "held") return { kind: "renewed", isOpen: false }
  const leaseEndMs = nowMs + leaseMs
  if (leaseEndMs > hold.leaseEndMs) {
    draft.holds.set(holdId, { ...hold, leaseEndMs })
    draft.nextLeaseEndMs = leaseEnds(draft.holds.values())
  }
  return { kind: "renewed", isOpen: true }
}

const settle = <Report extends ChargedRun>(
  draft: Draft<Report>,
  { hold: { holdId }, report, storage = [] }: LedgerOperation<Report> & { readonly kind: "settle" },
  nowMs: number
): LedgerOutcome => {
  const hold = draft.holds.get(holdId)
  if (hold === undefined) return noHold(holdId)
  if (hold.state === "voided") return breach(`hold ${holdId} was voided, it cannot be settled`)
  if (hold.state === "held") {
    if (report.projectId !== hold.projectId) return breach(`hold ${holdId} is of another project`)
    if (draft.reportIds.has(report.id)) return breach(`run ${report.id} was charged before`)
    const posted = postedOf(hold.amount, report.cost.total)
    resolve(draft, hold, "post", posted, nowMs)
    draft.reportIds.add(report.id)
    draft.reports.push({ entry: lastEntryOf(draft), report: chargedReport(report, posted), storage })
  }
  return { kind: "settled", balance: balanceIn(draft, hold.period, nowMs) }
}

const giveBack = (draft: Draft, { holdId }: Hold, nowMs: number): LedgerOutcome => {
  const hold = draft.holds.get(holdId)
  if (hold === undefined) return noHold(holdId)
  if (hold.state === "held") resolve(draft, hold, "void", 0n, nowMs)
  return done
}

const voidAll = (draft: Draft, nowMs: number): LedgerOutcome => {
  for (const hold of draft.holds.values()) if (hold.state === "held") resolve(draft, hold, "void", 0n, nowMs)
  return done
}

const apply = <Report extends ChargedRun>(draft: Draft<Report>, { nowMs, operation }: TimedOperation<Report>): LedgerOutcome => {
  expire(draft, nowMs)
  switch (operation.kind) {
    case "grant":
      draft.account = { ...draft.account, granted: draft.account.granted + operation.credits }
      enter(draft, "grant", operation.credits, null, nowMs)
      return done
    case "hold":
      return take(draft, operation, nowMs)
    case "renew":
      return renew(draft, operation, nowMs)
    case "settle":
      return settle(draft, operation, nowMs)
    case "void":
      return giveBack(draft, operation.hold, nowMs)
    case "expire":
      return done
    case "voidAll":
      return voidAll(draft, nowMs)
  }
}

const changesOf = <Report extends ChargedRun>(draft: Draft<Report>): LedgerChanges<Report> => {
  const { account, before, entries, holds, reports, usage } = draft
  const taken: Array<HoldRecord> = []
  const renewed: Array<HoldRecord> = []
  const resolved: Array<HoldRecord> = []
  for (const hold of holds.values()) {
    const known = before.holds.get(hold.holdId)
    if (known === hold) continue
    if (known === undefined) taken.push(hold)
    else if (hold.state === "held") renewed.push(hold)
    else resolved.push(hold)
  }
  const lastEntry = lastEntryOf(draft)
  return {
    projectId: before.projectId,
    account,
    lastEntry,
    entries,
    taken,
    renewed,
    resolved,
    usage: [...usage.values()],
    reports
  }
}

const isChange = ({ entries, renewed }: Pick<LedgerChanges, "entries" | "renewed">): boolean => entries.length > 0 || renewed.length > 0

/**
 * Decides operations in order, given the snapshots of their projects (by project id): one outcome each, and the changes to write for every
 * project that changes. An outcome depends only on the operations before it, never on how they are batched.
 */
export const applyOperations = <Report extends ChargedRun>(
  snapshots: ReadonlyMap<string, LedgerSnapshot>,
  operations: ReadonlyArray<TimedOperation<Report>>
): { readonly changes: ReadonlyArray<LedgerChanges<Report>>; readonly outcomes: ReadonlyArray<LedgerOutcome> } => {
  const drafts = new Map<string, Draft<Report>>()
  for (const [projectId, snapshot] of snapshots) drafts.set(projectId, draftOf(snapshot))
  const outcomes = operations.map((timed) => {
    const { projectId } = timed.operation
    const draft = drafts.get(projectId)
    return draft === undefined ? breach(`project ${projectId} does not exist`) : apply(draft, timed)
  })
  return { changes: [...drafts.values()].map(changesOf).filter(isChange), outcomes }
}

/** The balance at `nowMs` under a limit. A hold whose lease has ended counts as returned, even if that is not written yet. */
export const balanceAt = (snapshot: LedgerSnapshot, usageLimit: UsageLimit | null, nowMs: number): Balance => {
  const draft = draftOf(snapshot)
  expire(draft, nowMs)
  return balanceIn(draft, usageLimit, nowMs)
}
