/** Holds of their own for runs of projects that may have escrows: before one is refused, undrawn credits are called back. */
import { Clock, Effect } from "effect"
import type { Escrow } from "../../domain/credits/escrow.ts"
import type { LedgerOperation, LedgerOutcome } from "../../domain/credits/ledgerOperation.ts"
import type { LedgerStore } from "../makeLedger.ts"
import type { EscrowKeeper } from "./escrowKeeper.ts"
import type { EscrowPolicy, ProjectEscrows } from "./projectEscrows.ts"

type HoldOperation = LedgerOperation & { readonly kind: "hold" }

/** The pause between two attempts. */
const pauseMs = 25

type Recalling = LedgerOutcome & { readonly kind: "recalling" }

/** Whether a server that may answer has been asked for credits. */
const isWorthWaiting = ({ silent }: ProjectEscrows, outcome: LedgerOutcome): outcome is Recalling =>
  outcome.kind === "recalling" && outcome.escrowIds.some((escrowId) => !silent.has(escrowId))

/** Without anybody to wait for, a hold that lacks credits is refused. */
const decided = (outcome: LedgerOutcome): Effect.Effect<LedgerOutcome> =>
  Effect.succeed(outcome.kind === "recalling" ? { kind: "refused", refusal: outcome.refusal } : outcome)

/** The store, with operations that say what is drawn, and holds that recall escrows. */
export const makeExactHolds = (
  projects: ReadonlyMap<string, ProjectEscrows>,
  keeper: EscrowKeeper,
  store: LedgerStore,
  policy: EscrowPolicy
): LedgerStore => {
  const giveBackAll = (of: ProjectEscrows, escrows: ReadonlyArray<Escrow>): Effect.Effect<void> =>
    Effect.forEach(escrows, (escrow) => Effect.ignoreLogged(keeper.retire(of, escrow)), { discard: true })

  const retireOwn = (of: ProjectEscrows): Effect.Effect<void> =>
    Effect.suspend(() => giveBackAll(of, of.current === undefined ? of.unreleased : [of.current, ...of.unreleased]))

  /** Tries until the credits are there, or no escrow can give back any, or one does not answer. */
  const insist = (of: ProjectEscrows, operation: HoldOperation, round: number): Effect.Effect<LedgerOutcome> =>
    Effect.zipRight(
      retireOwn(of),
      Effect.flatMap(
        Effect.suspend(() => store.perform({ ...operation, recalls: true })),
        (outcome) => {
          if (!isWorthWaiting(of, outcome)) return decided(outcome)
          if (round * pauseMs < policy.recallMs) return Effect.zipRight(Effect.sleep(pauseMs), insist(of, operation, round + 1))
          for (const escrowId of outcome.escrowIds) of.silent.add(escrowId)
          return decided(outcome)
        }
      )
    )

  const insistOnce = (of: ProjectEscrows, operation: HoldOperation): Effect.Effect<LedgerOutcome> =>
    of.work.alone(
      "recalling",
      insist(of, operation, 0),
      Effect.zipRight(
        of.work.over("recalling"),
        Effect.suspend(() => take(of, operation))
      )
    )

  const take = (of: ProjectEscrows, operation: HoldOperation): Effect.Effect<LedgerOutcome> =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
      of.lapse(nowMs)
      const tried = Effect.suspend(() => store.perform({ ...operation, recalls: true, ...of.said() }))
      const { unreleased } = of
      return Effect.flatMap(unreleased.length === 0 ? tried : Effect.zipRight(giveBackAll(of, unreleased), tried), (outcome) => {
        if (!isWorthWaiting(of, outcome)) return decided(outcome)
        of.short(nowMs, policy)
        return insistOnce(of, operation)
      })
    })

  return {
    perform: (operation) => {
      const of = projects.get(operation.projectId)
      if (of === undefined) return store.perform(operation)
      return operation.kind === "hold" ? take(of, operation) : Effect.suspend(() => store.perform({ ...operation, ...of.said() }))
    },
    balance: store.balance
  }
}
