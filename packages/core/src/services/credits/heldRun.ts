/** A run against a hold. */
import { Effect, Exit } from "effect"
import type { Overloaded } from "../../contract/errors.ts"
import { type Hold, isHold } from "../../domain/credits/balance.ts"
import type { ResolvedProject } from "../../domain/accounts/project.ts"
import { metricList } from "../../ports/metrics/metricList.ts"
import { StoreDefect } from "../../ports/storeDefect.ts"
import { traced } from "../fibers/traced.ts"
import type { CompletedRun } from "../phases/phaseRun.ts"
import { holdLeaseMs } from "./leases.ts"
import { type AnswerOf, type ChargingParts, type Restore, settledRun } from "./settledRun.ts"
import { logAboveHold, withinHold } from "./withinHold.ts"

const checkedHold = (answered: Hold): Hold => {
  if (isHold(answered)) return answered
  throw new StoreDefect("the ledger held credits and answered no hold: holdId and projectId, each a string, and amount, a bigint")
}

/** Holds `worst`, runs, and settles; a run that failed voids its hold. To be called uninterruptibly: only the run itself is restored. */
export const heldRun = Effect.fnUntraced(function* (
  parts: ChargingParts,
  project: ResolvedProject,
  worst: bigint,
  run: Effect.Effect<CompletedRun, Overloaded>,
  answerOf: AnswerOf | undefined,
  restore: Restore
) {
  const { leases, ledger, metrics } = parts
  const hold = checkedHold(yield* traced("hold", ledger.hold(project, worst, holdLeaseMs)))
  metrics.add(metricList.creditsHeld, Number(worst))
  const renewing = leases.keep(hold)
  if (renewing !== undefined) yield* renewing
  const exit = yield* Effect.exit(restore(run))
  leases.letGo(hold)
  if (Exit.isSuccess(exit)) {
    // A hold that cannot be settled is voided; if it was settled after all, voiding does nothing.
    const ended = withinHold(hold, exit.value)
    if (ended !== exit.value) yield* logAboveHold(hold, exit.value.report)
    const settled = traced(
      "settle",
      Effect.suspend(() => settledRun(parts, hold, ended, answerOf, restore))
    )
    return yield* Effect.catchAllCause(settled, (cause) => Effect.zipRight(Effect.ignoreLogged(ledger.void(hold)), Effect.failCause(cause)))
  }
  // A hold that cannot be voided now returns when its lease ends.
  yield* Effect.ignoreLogged(ledger.void(hold))
  return yield* Effect.failCause(exit.cause)
})
