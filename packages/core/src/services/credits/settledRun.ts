/** Settles a run that has ended: its charge, its report and what is kept with it, in one transaction (decision D32). */
import { type Context, Effect } from "effect"
import { type Balance, type Hold, isBalance } from "../../domain/credits/balance.ts"
import type { DatedRun } from "../../domain/credits/ledgerOperation.ts"
import type { ExecutionReport } from "../../domain/reports/executionReport.ts"
import type { UnchargedAnswer } from "../../domain/runs/idempotency.ts"
import type { Ledger } from "../../ports/ledger.ts"
import type { Measuring } from "../../ports/metrics/metrics.ts"
import { StoreDefect } from "../../ports/storeDefect.ts"
import type { CompletedRun } from "../phases/phaseRun.ts"
import type { Leases } from "./leases.ts"
import { onceReachable } from "./onceReachable.ts"

/** A charged run, and the project's balance after it. */
export interface SettledRun {
  readonly report: ExecutionReport
  readonly balance: Balance
}

/** The answer of a run under an idempotency key, which is kept with its charge. */
export type AnswerOf = (report: ExecutionReport) => UnchargedAnswer

/** What charging needs. */
export interface ChargingParts {
  readonly ledger: Context.Tag.Service<Ledger>
  readonly leases: Leases
  readonly metrics: Measuring
}

/** Makes an effect interruptible again, as far as its caller was. */
export type Restore = <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>

/** A run is charged if the ledger says what is left; one that answers nothing has perhaps charged nobody. */
const checkedBalance = (answered: Balance): Balance => {
  if (isBalance(answered)) return answered
  throw new StoreDefect("the ledger settled a run and answered no balance: granted, used, held and periodUsed, each a bigint")
}

/**
 * A run whose timestamp does not stand is signed again, with the one that it is given: by the transaction that charges it, or, where that
 * cannot be, after one that has not charged it.
 */
export const settledRun = (
  { leases, ledger }: ChargingParts,
  hold: Hold,
  { chosen, report, signedAgain, signedAgainNow, storage }: CompletedRun,
  answerOf: AnswerOf | undefined,
  restore: Restore
): Effect.Effect<SettledRun> => {
  const first: DatedRun = { report, answer: answerOf?.(report) }
  let charged = first
  const dated = (timestampMs: number): DatedRun | undefined => {
    const again = timestampMs === chosen.timestampMs ? report : signedAgainNow(timestampMs)
    if (again === undefined) return undefined
    charged = again === report ? first : { report: again, answer: answerOf?.(again) }
    return charged
  }
  return onceReachable(ledger.settleChosen(hold, report, chosen, { storage, answer: first.answer, dated })).pipe(
    Effect.map((balance) => ({ report: charged.report, balance: checkedBalance(balance) })),
    Effect.catchTag("StaleTimestamp", ({ timestampMs }) =>
      Effect.gen(function* () {
        yield* leases.keep(hold) ?? Effect.void
        const again = yield* Effect.ensuring(
          restore(signedAgain(timestampMs)),
          Effect.sync(() => leases.letGo(hold))
        )
        const settled = yield* onceReachable(ledger.settle(hold, again, { storage, answer: answerOf?.(again) }))
        return { report: again, balance: checkedBalance(settled) }
      })
    )
  )
}
