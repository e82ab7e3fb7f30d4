/** Charges drawn holds: what the database is asked to do, and what its answer means for the escrow. */
import { type Cause, Effect } from "effect"
import type { Balance } from "../../domain/credits/balance.ts"
import { postedOf } from "../../domain/credits/credits.ts"
import { type Draw, type Escrow, escrowLeaseMs } from "../../domain/credits/escrow.ts"
import type { LedgerOperation, LedgerOutcome } from "../../domain/credits/ledgerOperation.ts"
import type { ExecutionReport } from "../../domain/reports/executionReport.ts"
import type { ChosenTime } from "../../domain/runs/storedTime.ts"
import type { AlsoDated, StaleTimestamp } from "../ledger.ts"
import { settledOf } from "../makeLedger.ts"
import { storeUnavailableIn } from "../storeUnavailable.ts"
import type { EscrowParts } from "./escrowParts.ts"
import { withNow } from "./withNow.ts"
import type { ProjectEscrows } from "./projectEscrows.ts"

/** A run that has ended, and what is written with its charge. */
export interface EndedDraw extends AlsoDated {
  readonly report: ExecutionReport
  readonly chosen?: ChosenTime
}

/** What the database is asked to charge. */
export type Charge = LedgerOperation & { readonly kind: "charge" }

/** Begins to settle a draw; its charge says what else is drawn from the escrow. */
const beginCharge = (draw: Draw, { answer, chosen, dated, report, storage = [] }: EndedDraw) => {
  const { escrow, hold } = draw
  const { escrowId, leaseMs, projectId } = escrow.terms
  escrow.beginSettling(draw)
  const drawn = escrow.drawnToSay - (escrow.isRetired ? hold.amount : 0n)
  const mayBeLess = escrow.mayBeLess(hold.amount)
  // Told so, the database gives nothing back by itself any more: a release has to follow.
  if (mayBeLess) escrow.isReleased = false
  return {
    kind: "charge",
    projectId,
    escrowId,
    hold,
    report,
    storage,
    chosen,
    dated,
    answer,
    leaseMs: escrowLeaseMs(leaseMs),
    isRepeat: false,
    drawn: { escrowId, drawn, mayBeLess }
  } satisfies Charge
}

/** Charges an open hold; not to be interrupted. */
export const makeCharging = ({ keeper, projects, store, watch }: EscrowParts) => {
  /** Nothing is drawn any more of an escrow that was given back: it is closed, unless the last charge has done that. */
  const afterEnd = (of: ProjectEscrows, escrow: Escrow, isClosed: boolean): Effect.Effect<void> | undefined => {
    if (!escrow.isRetired || escrow.drawn > 0n || !of.escrows.has(escrow.terms.escrowId)) return undefined
    return isClosed ? Effect.sync(() => of.close(escrow.terms.escrowId)) : watch.detached(keeper.retire(of, escrow))
  }

  return (draw: Draw, ended: EndedDraw, nowMs: number): Effect.Effect<Balance, StaleTimestamp> => {
    const { escrow, hold } = draw
    const { report } = ended
    const of = projects.get(escrow.terms.projectId)
    const charge = beginCharge(draw, ended)
    const { leaseMs } = charge
    const isLast = escrow.isReleased && charge.drawn.drawn === 0n
    const endSettling = watch.settling(draw)
    const answered = (outcome: LedgerOutcome): Effect.Effect<Balance, StaleTimestamp> => {
      if (outcome.kind !== "settled") {
        escrow.reopen(draw)
        if (outcome.kind !== "stale") of?.retire(escrow)
        return settledOf(outcome)
      }
      const posted = postedOf(hold.amount, report.cost.total)
      escrow.settled(draw, posted, report.id, nowMs)
      escrow.renew(nowMs + leaseMs)
      const balance = Effect.succeed(outcome.balance)
      if (of === undefined) return balance
      of.demand.spent(posted, nowMs)
      // After the recall, which may retire it.
      const over = Effect.suspend(() => afterEnd(of, escrow, isLast) ?? Effect.void)
      if (outcome.isRecalled) return Effect.zipRight(Effect.zipRight(watch.recall(of, escrow), over), balance)
      return escrow.isRetired ? Effect.zipRight(over, balance) : balance
    }
    // Who waits for the end of this charge goes on in a later step, and sees what it has come to.
    // If the acknowledgement was lost, the database may have charged it: nothing more is drawn from what may be missing there.
    const failed = (cause: Cause.Cause<never>): Effect.Effect<never> =>
      withNow((failedAtMs) => {
        endSettling()
        escrow.reopen(draw)
        escrow.maybeRenewed(failedAtMs + leaseMs)
        if (storeUnavailableIn(cause) !== undefined) of?.retire(escrow)
        return Effect.failCause(cause)
      })
    return Effect.matchCauseEffect(store.perform(charge), {
      onFailure: failed,
      onSuccess: (outcome) => {
        endSettling()
        return answered(outcome)
      }
    })
  }
}
