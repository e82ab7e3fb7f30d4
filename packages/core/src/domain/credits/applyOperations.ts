/** All decisions about credits: from a transaction's snapshots and operations to their outcomes and the changes to write. */
import type { Balance, Hold } from "./balance.ts"
import { type ChargedRun, chargedReport, holdRefusal, postedOf } from "./credits.ts"
import { charge, noteDrawn, recall, release, reserve } from "./escrowDecisions.ts"
import {
  addHeld,
  availableIn,
  balanceIn,
  changesOf,
  datedRun,
  type Draft,
  draftOf,
  enter,
  expire,
  isChange,
  lastEntryOf,
  putOpen,
  putReport,
  resolve
} from "./ledgerDraft.ts"
import type { UsageLimit } from "../accounts/project.ts"
import type { LedgerChanges, LedgerOperation, LedgerOutcome, TimedOperation } from "./ledgerOperation.ts"
import { type LedgerSnapshot, usagePeriodAt } from "./ledgerSnapshot.ts"
import { withdraw } from "./withdrawal.ts"

const done: LedgerOutcome = { kind: "done" }
const breach = (message: string): LedgerOutcome => ({ kind: "breach", message })
const noHold = (holdId: string): LedgerOutcome => breach(`hold ${holdId} does not exist`)

const take = (draft: Draft, operation: LedgerOperation & { readonly kind: "hold" }, nowMs: number): LedgerOutcome => {
  const { hold, leaseMs, recalls, usageLimit } = operation
  if (hold.amount < 0n) return breach(`a hold of ${hold.amount} credits`)
  // Already taken by a commit whose acknowledgement was lost.
  if (draft.holds.has(hold.holdId)) return done
  const refusal = holdRefusal(availableIn(draft, usageLimit, nowMs), usageLimit, hold.amount, nowMs)
  if (refusal !== undefined) {
    const escrowIds = recalls === true ? recall(draft) : []
    return escrowIds.length === 0 ? { kind: "refused", refusal } : { kind: "recalling", refusal, escrowIds }
  }
  const period = usagePeriodAt(usageLimit, nowMs)
  const none = { state: "held" as const, leaseEndMs: nowMs + leaseMs, period, escrow: null, ...hold, amount: 0n }
  addHeld(draft, none, hold.amount)
  enter(draft, "hold", hold.amount, hold.holdId, nowMs)
  return done
}

const renew = (draft: Draft, { hold: { holdId }, leaseMs }: LedgerOperation & { readonly kind: "renew" }, nowMs: number): LedgerOutcome => {
  const hold = draft.holds.get(holdId)
  if (hold === undefined) return noHold(holdId)
  if (hold.state !== "held") return { kind: "renewed", isOpen: false }
  const leaseEndMs = nowMs + leaseMs
  if (leaseEndMs > hold.leaseEndMs) putOpen(draft, { ...hold, leaseEndMs })
  return { kind: "renewed", isOpen: true }
}

const settle = <Report extends ChargedRun>(
  draft: Draft<Report>,
  operation: LedgerOperation<Report> & { readonly kind: "settle" },
  nowMs: number
): LedgerOutcome => {
  const {
    hold: { holdId },
    storage = []
  } = operation
  const hold = draft.holds.get(holdId)
  if (hold === undefined) return noHold(holdId)
  if (hold.state === "voided") return breach(`hold ${holdId} was voided, it cannot be settled`)
  if (hold.state === "posted") return { kind: "settled", balance: balanceIn(draft, hold.period, nowMs), isRecalled: false }
  const { id, projectId } = operation.report
  if (projectId !== hold.projectId) return breach(`hold ${holdId} is of another project`)
  if (draft.charged.has(id)) return breach(`run ${id} was charged before`)
  const run = datedRun(draft, operation)
  if ("kind" in run) return run
  const { answer, report } = run
  const posted = postedOf(hold.amount, report.cost.total)
  resolve(draft, hold, "post", posted, nowMs)
  draft.charged.set(id, null)
  const balance = balanceIn(draft, hold.period, nowMs)
  const charged = { entry: lastEntryOf(draft), report: chargedReport(report, posted), storage, drawnHoldId: null }
  putReport(draft, charged, answer, { balance, nowMs })
  return { kind: "settled", balance, isRecalled: false }
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
  if (operation.drawn !== undefined) noteDrawn(draft, operation.drawn)
  switch (operation.kind) {
    case "grant":
      draft.account = { ...draft.account, granted: draft.account.granted + operation.credits }
      enter(draft, "grant", operation.credits, null, nowMs)
      return done
    case "withdraw":
      return withdraw(draft, operation, nowMs)
    case "hold":
      return take(draft, operation, nowMs)
    case "renew":
      return renew(draft, operation, nowMs)
    case "settle":
      return settle(draft, operation, nowMs)
    case "void":
      return giveBack(draft, operation.hold, nowMs)
    case "reserve":
      return reserve(draft, operation, nowMs)
    case "charge":
      return charge(draft, operation, nowMs)
    case "release":
      return release(draft, operation, nowMs)
    case "expire":
      return done
    case "voidAll":
      return voidAll(draft, nowMs)
  }
}

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

/** What is drawn of an escrow, as its server knows it; `undefined` for another server's. */
export type DrawnOf = (escrowId: string) => bigint | undefined

/**
 * The balance at `nowMs` under a limit. A hold whose lease has ended counts as returned, even if that is not written yet; what is not drawn
 * of an escrow does not count as held.
 */
export const balanceAt = (snapshot: LedgerSnapshot, usageLimit: UsageLimit | null, nowMs: number, drawnOf?: DrawnOf): Balance => {
  const draft = draftOf(snapshot)
  expire(draft, nowMs)
  for (const escrowId of snapshot.holds.keys()) {
    const drawn = drawnOf?.(escrowId)
    if (drawn !== undefined) noteDrawn(draft, { escrowId, drawn })
  }
  return balanceIn(draft, usageLimit, nowMs)
}
