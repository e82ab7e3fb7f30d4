/** What can be asked of the ledger, and what comes of it: plain values, so that many can be decided at once. */
import {
  afterHold,
  afterPost,
  type Account,
  type Balance,
  chargedReport,
  type EntryKind,
  type ExecutionReport,
  type Hold,
  holdRefusal,
  type HoldRefusal,
  type JournalEntry,
  postedOf,
  type StorageWrite,
  StoreDefect,
  type UsageLimit
} from "@sibyl/core"
import { Exit } from "effect"
import {
  balanceIn,
  type Book,
  type EnteredReport,
  periodKey,
  type PeriodUsage,
  type StoredHold,
  usageIn,
  type UsagePeriod,
  usagePeriodAt
} from "./book.ts"

/** A change of one project's credits. */
export type LedgerOperation =
  | { readonly kind: "grant"; readonly projectId: string; readonly credits: bigint }
  | {
      readonly kind: "hold"
      readonly projectId: string
      readonly hold: Hold
      readonly leaseMs: number
      readonly usageLimit: UsageLimit | null
    }
  | {
      readonly kind: "settle"
      readonly projectId: string
      readonly hold: Hold
      readonly report: ExecutionReport
      readonly storage?: ReadonlyArray<StorageWrite>
    }
  | { readonly kind: "renew"; readonly projectId: string; readonly hold: Hold; readonly leaseMs: number }
  | { readonly kind: "void"; readonly projectId: string; readonly hold: Hold }
  /** Returns the holds whose lease is over, which every other operation does too before it does anything. */
  | { readonly kind: "tidy"; readonly projectId: string }
  /** Returns every open hold that the book knows, whatever its lease. */
  | { readonly kind: "abandon"; readonly projectId: string }

/** An operation and the time that it is done at. */
export interface TimedOperation {
  readonly operation: LedgerOperation
  readonly nowMs: number
}

/**
 * The balance after a settlement, whether a renewed hold is open, nothing for the others; a refusal; or the caller's
 * breach of contract: a defect.
 */
export type LedgerOutcome = Exit.Exit<Balance | boolean | undefined, HoldRefusal>

/** A book that is being written in. */
interface Draft {
  readonly projectId: string
  account: Account
  lastEntry: number
  readonly holds: Map<string, StoredHold>
  readonly usage: Map<string, PeriodUsage>
  readonly reportIds: Set<string>
  readonly changes: {
    readonly entries: Array<JournalEntry>
    readonly taken: Set<string>
    readonly renewed: Set<string>
    readonly resolved: Set<string>
    readonly periods: Set<string>
    readonly reports: Array<EnteredReport>
  }
  /** No open hold's lease ends before. */
  nextLeaseEndMs: number
}

const leaseEnds = (holds: Iterable<StoredHold>): number => {
  let next = Number.POSITIVE_INFINITY
  for (const { leaseEndMs, state } of holds) if (state === "held") next = Math.min(next, leaseEndMs)
  return next
}

const draftOf = ({ account, changes, holds, lastEntry, projectId, reportIds, usage }: Book): Draft => ({
  projectId,
  account,
  lastEntry,
  holds: new Map(holds),
  usage: new Map(usage),
  reportIds: new Set(reportIds),
  changes: {
    entries: [...changes.entries],
    taken: new Set(changes.taken),
    renewed: new Set(changes.renewed),
    resolved: new Set(changes.resolved),
    periods: new Set(changes.periods),
    reports: [...changes.reports]
  },
  nextLeaseEndMs: leaseEnds(holds.values())
})

const enter = (draft: Draft, kind: EntryKind, credits: bigint, holdId: string | null, atMs: number): void => {
  draft.lastEntry += 1
  draft.changes.entries.push({ entry: draft.lastEntry, kind, credits, holdId, atMs })
}

const addUsage = (draft: Draft, period: UsagePeriod | null, credits: bigint): void => {
  if (period === null || credits === 0n) return
  const key = periodKey(period)
  draft.usage.set(key, { period, credits: usageIn(draft, period) + credits })
  draft.changes.periods.add(key)
}

/** Ends an open hold: `posted` credits are used, the rest goes back to the account and to its period. */
const resolve = (
  draft: Draft,
  hold: StoredHold,
  kind: "post" | "void" | "expire",
  posted: bigint,
  atMs: number
): void => {
  draft.account = afterPost(draft.account, hold.amount, posted)
  draft.holds.set(hold.holdId, { ...hold, state: kind === "post" ? "posted" : "voided" })
  if (!draft.changes.taken.has(hold.holdId)) draft.changes.resolved.add(hold.holdId)
  addUsage(draft, hold.period, posted - hold.amount)
  enter(draft, kind, kind === "post" ? posted : hold.amount, hold.holdId, atMs)
}

/** A hold is void from the end of its lease on, whoever looks first. */
const expire = (draft: Draft, nowMs: number): void => {
  if (nowMs < draft.nextLeaseEndMs) return
  for (const hold of draft.holds.values()) {
    if (hold.state === "held" && hold.leaseEndMs <= nowMs) resolve(draft, hold, "expire", 0n, nowMs)
  }
  draft.nextLeaseEndMs = leaseEnds(draft.holds.values())
}

const done: LedgerOutcome = Exit.succeed(undefined)
const breach = (message: string): LedgerOutcome => Exit.die(new StoreDefect(message))

const take = (draft: Draft, operation: LedgerOperation & { readonly kind: "hold" }, nowMs: number): LedgerOutcome => {
  const { hold, leaseMs, usageLimit } = operation
  // Taken before, by a commit that nobody heard back from.
  if (draft.holds.has(hold.holdId)) return done
  const refusal = holdRefusal(balanceIn(draft, usageLimit, nowMs), usageLimit, hold.amount, nowMs)
  if (refusal !== undefined) return Exit.fail(refusal)
  const period = usagePeriodAt(usageLimit, nowMs)
  const leaseEndMs = nowMs + leaseMs
  draft.account = afterHold(draft.account, hold.amount)
  draft.holds.set(hold.holdId, { ...hold, state: "held", leaseEndMs, period })
  draft.nextLeaseEndMs = Math.min(draft.nextLeaseEndMs, leaseEndMs)
  draft.changes.taken.add(hold.holdId)
  addUsage(draft, period, hold.amount)
  enter(draft, "hold", hold.amount, hold.holdId, nowMs)
  return done
}

/** A hold that was taken in this book too is written whole with its new lease. */
const renew = (
  draft: Draft,
  { hold: { holdId }, leaseMs }: LedgerOperation & { readonly kind: "renew" },
  nowMs: number
): LedgerOutcome => {
  const hold = draft.holds.get(holdId)
  if (hold === undefined) return breach(`hold ${holdId} does not exist`)
  if (hold.state !== "held") return Exit.succeed(false)
  draft.holds.set(holdId, { ...hold, leaseEndMs: Math.max(hold.leaseEndMs, nowMs + leaseMs) })
  draft.nextLeaseEndMs = leaseEnds(draft.holds.values())
  if (!draft.changes.taken.has(holdId)) draft.changes.renewed.add(holdId)
  return Exit.succeed(true)
}

const settle = (
  draft: Draft,
  { hold: { holdId }, report, storage = [] }: LedgerOperation & { readonly kind: "settle" },
  nowMs: number
): LedgerOutcome => {
  const hold = draft.holds.get(holdId)
  if (hold === undefined) return breach(`hold ${holdId} does not exist`)
  if (hold.state === "voided") return breach(`hold ${holdId} was voided, it cannot be settled`)
  if (hold.state === "held") {
    if (report.projectId !== hold.projectId) return breach(`hold ${holdId} is of another project`)
    if (draft.reportIds.has(report.id)) return breach(`run ${report.id} was charged before`)
    const posted = postedOf(hold.amount, report.cost.total)
    resolve(draft, hold, "post", posted, nowMs)
    draft.reportIds.add(report.id)
    draft.changes.reports.push({ entry: draft.lastEntry, report: chargedReport(report, posted), storage })
  }
  return Exit.succeed(balanceIn(draft, hold.period, nowMs))
}

const giveBack = (draft: Draft, { holdId }: Hold, nowMs: number): LedgerOutcome => {
  const hold = draft.holds.get(holdId)
  if (hold === undefined) return breach(`hold ${holdId} does not exist`)
  if (hold.state === "held") resolve(draft, hold, "void", 0n, nowMs)
  return done
}

const abandon = (draft: Draft, nowMs: number): LedgerOutcome => {
  for (const hold of draft.holds.values()) if (hold.state === "held") resolve(draft, hold, "void", 0n, nowMs)
  return done
}

const apply = (draft: Draft, { nowMs, operation }: TimedOperation): LedgerOutcome => {
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
    case "tidy":
      return done
    case "abandon":
      return abandon(draft, nowMs)
  }
}

/**
 * Does the operations of one project in their order. What one comes to never depends on which others it was brought
 * together with, only on those before it: a batch is the same as one by one.
 */
export const applyOperations = (
  book: Book,
  operations: ReadonlyArray<TimedOperation>
): { readonly book: Book; readonly outcomes: ReadonlyArray<LedgerOutcome> } => {
  const draft = draftOf(book)
  const outcomes = operations.map((operation) => apply(draft, operation))
  const { nextLeaseEndMs: _, ...after } = draft
  return { book: after, outcomes }
}
