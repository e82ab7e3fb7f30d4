/** Settles, voids and renews drawn holds: only a charge, and what an escrow in retirement gives back, go to the database. */
import { Effect } from "effect"
import type { Balance, Hold } from "../../domain/credits/balance.ts"
import { type Draw, DrawnHold } from "../../domain/credits/escrow.ts"
import type { ExecutionReport } from "../../domain/reports/executionReport.ts"
import type { StaleTimestamp } from "../ledger.ts"
import { settledOf } from "../makeLedger.ts"
import { StoreDefect } from "../storeDefect.ts"
import { type Charge, type EndedDraw, makeCharging } from "./charging.ts"
import type { EscrowParts } from "./escrowParts.ts"
import { withNow } from "./withNow.ts"

/** What is done with drawn holds. */
export interface Settling {
  readonly settle: (hold: Hold, escrowId: string, ended: EndedDraw) => Effect.Effect<Balance, StaleTimestamp>
  readonly giveBack: (hold: Hold) => Effect.Effect<void>
  readonly renew: (hold: Hold, leaseMs: number) => Effect.Effect<boolean>
}

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
