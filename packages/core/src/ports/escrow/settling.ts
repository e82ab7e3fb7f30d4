/** Settles, voids and renews drawn holds: only a charge, and what an escrow in retirement gives back, go to the database. */
import { type Cause, Effect } from "effect"
import type { Balance, Hold } from "../../domain/credits/balance.ts"
import { postedOf } from "../../domain/credits/credits.ts"
import { type Draw, DrawnHold, type Escrow, escrowLeaseMs } from "../../domain/credits/escrow.ts"
import type { LedgerOperation, LedgerOutcome } from "../../domain/credits/ledgerOperation.ts"
import type { ExecutionReport } from "../../domain/reports/executionReport.ts"
import type { ChosenTime } from "../../domain/runs/storedTime.ts"
import type { AlsoDated, StaleTimestamp } from "../ledger.ts"
import { settledOf } from "../makeLedger.ts"
import { StoreDefect } from "../storeDefect.ts"
import { storeUnavailableIn } from "../storeUnavailable.ts"
import type { EscrowParts } from "./escrowParts.ts"
import { withNow } from "./withNow.ts"
import type { ProjectEscrows } from "./projectEscrows.ts"

/** A run that has ended, and what is written with its charge. */
export interface EndedDraw extends AlsoDated {
  readonly report: ExecutionReport
  readonly chosen?: ChosenTime
}

/** What is done with drawn holds. */
export interface Settling {
  readonly settle: (hold: Hold, escrowId: string, ended: EndedDraw) => Effect.Effect<Balance, StaleTimestamp>
  readonly giveBack: (hold: Hold) => Effect.Effect<void>
  readonly renew: (hold: Hold, leaseMs: number) => Effect.Effect<boolean>
}

type Charge = LedgerOperation & { readonly kind: "charge" }

const voided = (hold: Hold): Effect.Effect<never> => Effect.die(new StoreDefect(`hold ${hold.holdId} was voided, it cannot be settled`))

/** The operations over the drawn holds of a ledger. */
export const makeSettling = (parts: EscrowParts): Settling => {
  const { keeper, projects, store, watch } = parts
  const chargeDraw = makeCharging(parts)
  const drawOf = (hold: Hold): Draw | undefined =>
    DrawnHold.drawOf(hold) ?? projects.get(hold.projectId)?.find(hold.escrowId ?? "", hold.holdId)

  /** An unknown hold, or one that is settled, is settled again: nothing is charged unless it was charged already. */
  const settleAgain = (hold: Hold, escrowId: string, report: ExecutionReport): Effect.Effect<Balance, StaleTimestamp> => {
    const repeated: Charge = { kind: "charge", projectId: hold.projectId, escrowId, hold, report, storage: [], leaseMs: 0, isRepeat: true }
    return Effect.flatMap(store.perform(repeated), settledOf)
  }

  const settleNow: Settling["settle"] = (hold, escrowId, ended) =>
    withNow((nowMs) => {
      const { report } = ended
      const found = drawOf(hold)
      found?.escrow.lapse(nowMs)
      switch (found?.state) {
        case undefined:
          return settleAgain(hold, escrowId, report)
        case "open":
          return chargeDraw(found, ended, nowMs)
        case "settling":
          return Effect.zipRight(watch.untilSettled(found), settleNow(hold, escrowId, ended))
        case "settled":
          return settleAgain(hold, escrowId, { ...report, id: found.reportId ?? report.id })
        case "voided":
          return voided(hold)
      }
    })

  /** A charge that has begun ends, and is counted, even if the caller leaves. */
  const settle: Settling["settle"] = (hold, escrowId, ended) => Effect.uninterruptible(settleNow(hold, escrowId, ended))

  const giveBack: Settling["giveBack"] = (hold) =>
    Effect.suspend(() => {
      const found = drawOf(hold)
      if (found?.state === "settling") return Effect.zipRight(watch.untilSettled(found), giveBack(hold))
      if (found?.state !== "open") return Effect.void
      found.escrow.giveBack(found)
      const of = projects.get(hold.projectId)
      return of !== undefined && found.escrow.isRetired ? keeper.retire(of, found.escrow) : Effect.void
    })

  const renew: Settling["renew"] = (hold, leaseMs) =>
    withNow((nowMs) => {
      const found = drawOf(hold)
      const of = projects.get(hold.projectId)
      if (found === undefined || of === undefined) return Effect.succeed(false)
      found.escrow.lapse(nowMs)
      if (found.state === "settling") return Effect.zipRight(watch.untilSettled(found), renew(hold, leaseMs))
      if (found.state !== "open") return Effect.succeed(false)
      const leaseEndMs = nowMs + leaseMs
      if (!found.escrow.lastsUntil(leaseEndMs)) {
        return Effect.zipRight(watch.renewing(found.escrow, keeper.renew(of, found.escrow, leaseMs)), renew(hold, leaseMs))
      }
      found.leaseEndMs = Math.max(found.leaseEndMs, leaseEndMs)
      return Effect.succeed(true)
    })

  return { settle, giveBack, renew }
}

/** Charges an open hold; not to be interrupted. */
const makeCharging = ({ keeper, projects, store, watch }: EscrowParts) => {
  /** Nothing is drawn any more of an escrow that was given back: it is closed, unless the last charge has done that. */
  const afterEnd = (of: ProjectEscrows, escrow: Escrow, isClosed: boolean): Effect.Effect<void> | undefined => {
    if (!escrow.isRetired || escrow.drawn > 0n || !of.escrows.has(escrow.terms.escrowId)) return undefined
    return isClosed ? Effect.sync(() => of.close(escrow.terms.escrowId)) : watch.detached(keeper.retire(of, escrow))
  }

  return (
    draw: Draw,
    { answer, chosen, dated, report, storage = [] }: EndedDraw,
    nowMs: number
  ): Effect.Effect<Balance, StaleTimestamp> => {
    const { escrow, hold } = draw
    const { escrowId, projectId } = escrow.terms
    const of = projects.get(projectId)
    escrow.beginSettling(draw)
    const drawn = escrow.drawnToSay - (escrow.isRetired ? hold.amount : 0n)
    const mayBeLess = escrow.mayBeLess(hold.amount)
    // Told so, the database gives nothing back by itself any more: a release has to follow.
    if (mayBeLess) escrow.isReleased = false
    const isLast = escrow.isReleased && drawn === 0n
    const endSettling = watch.settling(draw)
    const leaseMs = escrowLeaseMs(escrow.terms.leaseMs)
    const said = { escrowId, drawn, mayBeLess }
    const charge: Charge = {
      kind: "charge",
      projectId,
      escrowId,
      hold,
      report,
      storage,
      chosen,
      dated,
      answer,
      leaseMs,
      isRepeat: false,
      drawn: said
    }
    const ended = (outcome: LedgerOutcome): Effect.Effect<Balance, StaleTimestamp> => {
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
        return ended(outcome)
      }
    })
  }
}
