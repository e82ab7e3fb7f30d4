/**
 * The decisions about escrows: a server holds credits of a project once, durably, and its runs draw their holds from them in its memory
 * (decision D32).
 */
import type { Balance, Hold } from "./balance.ts"
import { type ChargedRun, chargedReport, holdRefusal, postedOf } from "./credits.ts"
import { escrowShare } from "./escrowSize.ts"
import { addHeld, availableIn, balanceIn, datedRun, type Draft, enter, lastEntryOf, putOpen, putReport, resolve } from "./ledgerDraft.ts"
import type { DrawnEscrow, LedgerOperation, LedgerOutcome } from "./ledgerOperation.ts"
import { type EscrowRecord, type HoldRecord, periodKey, undrawnOf, type UsagePeriod, usagePeriodAt } from "./ledgerSnapshot.ts"

type Operation<Kind extends LedgerOperation["kind"], Report extends ChargedRun = ChargedRun> = LedgerOperation<Report> & {
  readonly kind: Kind
}

interface OpenEscrow extends HoldRecord {
  readonly escrow: EscrowRecord
}

const openEscrow = (draft: Draft, holdId: string): OpenEscrow | undefined => {
  const hold = draft.holds.get(holdId)
  return hold?.state === "held" && hold.escrow !== null ? { ...hold, escrow: hold.escrow } : undefined
}

const isSamePeriod = (left: UsagePeriod | null, right: UsagePeriod | null): boolean =>
  left === null || right === null ? left === right : periodKey(left) === periodKey(right)

/** Records what an escrow's own server says is drawn of it. */
export const noteDrawn = (draft: Draft, { drawn, escrowId }: DrawnEscrow): void => {
  const hold = openEscrow(draft, escrowId)
  if (hold !== undefined && hold.escrow.drawn !== drawn) putOpen(draft, { ...hold, escrow: { ...hold.escrow, drawn } })
}

/** Asks the servers of all open escrows to give back what is not drawn. Returns the escrows that have something to give back. */
export const recall = (draft: Draft): ReadonlyArray<string> => {
  const asked: Array<string> = []
  for (const { holdId } of draft.holds.values()) {
    const hold = openEscrow(draft, holdId)
    if (hold === undefined || hold.escrow.state === "drained") continue
    asked.push(holdId)
    if (hold.escrow.state === "open") putOpen(draft, { ...hold, escrow: { ...hold.escrow, state: "recalled" } })
  }
  return asked
}

const nothingReserved: LedgerOutcome = { kind: "reserved", added: 0n, leaseEndMs: 0 }

/** Opens an escrow, or adds to it: as much as is wanted, but no more than its share of what is available, or nothing. */
export const reserve = (draft: Draft, { hold, leaseMs, usageLimit, wanted }: Operation<"reserve">, nowMs: number): LedgerOutcome => {
  if (hold.amount < 0n) return { kind: "breach", message: `an escrow of ${hold.amount} credits` }
  const period = usagePeriodAt(usageLimit, nowMs)
  const known = draft.holds.get(hold.holdId)
  const escrow = openEscrow(draft, hold.holdId)
  if (known !== undefined && (escrow?.escrow.state !== "open" || !isSamePeriod(escrow.period, period))) return nothingReserved
  const available = availableIn(draft, usageLimit, nowMs)
  const share = escrowShare(available, usageLimit)
  const added = wanted < share ? wanted : share
  if (added <= 0n || added < hold.amount || holdRefusal(available, usageLimit, added, nowMs) !== undefined) return nothingReserved
  const leaseEndMs = Math.max(escrow?.leaseEndMs ?? 0, nowMs + leaseMs)
  if (escrow === undefined) {
    const none = { state: "held" as const, leaseEndMs, period, escrow: { state: "open" as const, drawn: 0n }, ...hold, amount: 0n }
    addHeld(draft, none, added)
    enter(draft, "hold", added, hold.holdId, nowMs)
  } else {
    addHeld(draft, { ...escrow, leaseEndMs }, added)
    enter(draft, "extend", added, hold.holdId, nowMs)
  }
  return { kind: "reserved", added, leaseEndMs }
}

/**
 * Gives back what is not drawn. An escrow of which nothing is drawn is closed. One of which less may be drawn than its server says stays
 * recalled: who lacks credits waits for the rest of it.
 */
const drain = (draft: Draft, escrow: OpenEscrow, nowMs: number, mayBeLess = false): void => {
  if (escrow.escrow.drawn === 0n) return resolve(draft, escrow, "void", 0n, nowMs)
  const undrawn = undrawnOf(escrow)
  const drained: OpenEscrow = { ...escrow, escrow: { ...escrow.escrow, state: mayBeLess ? "recalled" : "drained" } }
  if (undrawn === 0n) return putOpen(draft, drained)
  addHeld(draft, drained, -undrawn)
  enter(draft, "release", undrawn, escrow.holdId, nowMs)
}

/** Ends the drawing from an escrow. */
export const release = (draft: Draft, { drawn, hold }: Operation<"release">, nowMs: number): LedgerOutcome => {
  const mayBeLess = drawn?.mayBeLess === true
  const escrow = openEscrow(draft, hold.holdId)
  if (escrow !== undefined && (mayBeLess || escrow.escrow.state !== "drained" || escrow.escrow.drawn === 0n || undrawnOf(escrow) > 0n)) {
    drain(draft, escrow, nowMs, mayBeLess)
  }
  return draft.holds.has(hold.holdId) ? { kind: "done" } : { kind: "breach", message: `escrow ${hold.holdId} does not exist` }
}

/** Why a run cannot be charged to an escrow; `undefined` if it can. */
const chargeBreach = (
  draft: Draft,
  { escrowId, hold, isRepeat, report }: Operation<"charge">,
  escrow: OpenEscrow | undefined,
  posted: bigint
): string | undefined => {
  if (!draft.holds.has(escrowId)) return `hold ${hold.holdId} does not exist`
  if (escrow === undefined || isRepeat) return `hold ${hold.holdId} was voided, it cannot be settled`
  if (report.projectId !== escrow.projectId) return `hold ${hold.holdId} is of another project`
  if (draft.charged.has(report.id)) return `run ${report.id} was charged before`
  return posted > escrow.amount ? `hold ${hold.holdId} is not covered by its escrow` : undefined
}

/** Posts the price of one run from an escrow, which stays open. Repeated, it changes nothing. */
export const charge = <Report extends ChargedRun>(
  draft: Draft<Report>,
  operation: Operation<"charge", Report>,
  nowMs: number
): LedgerOutcome => {
  const { drawn, escrowId, hold, leaseMs, storage } = operation
  const { id } = operation.report
  const known = draft.holds.get(escrowId)
  const balanceNow = (): Balance => balanceIn(draft, known?.period ?? null, nowMs)
  if (draft.charged.get(id) === hold.holdId) return { kind: "settled", balance: balanceNow(), isRecalled: false }
  const escrow = openEscrow(draft, escrowId)
  const posted = postedOf(hold.amount, operation.report.cost.total)
  const message = chargeBreach(draft, operation, escrow, posted)
  if (message !== undefined || escrow === undefined) return { kind: "breach", message: message ?? "an escrow that is not open" }
  const run = datedRun(draft, operation)
  if ("kind" in run) {
    // What the run has drawn is still drawn.
    if (drawn !== undefined) noteDrawn(draft, { escrowId, drawn: drawn.drawn + hold.amount })
    return run
  }
  const { answer, report } = run
  const leaseEndMs = Math.max(escrow.leaseEndMs, nowMs + leaseMs)
  // Used instead of held, so that the usage of the period stays the same.
  draft.account = { ...draft.account, used: draft.account.used + posted, held: draft.account.held - posted }
  const charged: OpenEscrow = { ...escrow, amount: escrow.amount - posted, leaseEndMs }
  putOpen(draft, charged)
  enter(draft, "charge", posted, escrowId, nowMs)
  draft.charged.set(id, hold.holdId)
  const posting = { entry: lastEntryOf(draft), report: chargedReport(report, posted), storage, drawnHoldId: hold.holdId }
  if (charged.escrow.state === "drained") drain(draft, charged, nowMs, drawn?.mayBeLess)
  const balance = balanceNow()
  putReport(draft, posting, answer, { balance, nowMs })
  return { kind: "settled", balance, isRecalled: charged.escrow.state === "recalled" }
}

/** The hold of an escrow by its id, for operations on it. */
export const escrowHold = (escrowId: string, projectId: string, amount = 0n): Hold => ({ holdId: escrowId, projectId, amount })
