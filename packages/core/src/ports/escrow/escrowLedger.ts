/**
 * A ledger whose runs draw their holds from escrows: a hold of a project that runs often, and its void, are changes in memory, and only the
 * charge is a durable transaction (decision D32).
 */
import { type Context, Effect, type Scope } from "effect"
import type { Entropy } from "../entropy.ts"
import type { Ledger } from "../ledger.ts"
import { makeLedger, neverStale } from "../makeLedger.ts"
import { makeDrawing } from "./drawing.ts"
import type { EscrowParts, EscrowStore } from "./escrowParts.ts"
import { withNow } from "./withNow.ts"
import { makeEscrowKeeper } from "./escrowKeeper.ts"
import { makeEscrowWatch } from "./escrowWatch.ts"
import { makeExactHolds } from "./exactHolds.ts"
import { defaultEscrowPolicy, type EscrowPolicy, type ProjectEscrows } from "./projectEscrows.ts"
import { makeSettling } from "./settling.ts"

/** The ledger over a store. Its escrows are given back when the scope closes; what runs have drawn stays held until their leases end. */
export const makeEscrowLedger = (
  store: EscrowStore,
  entropy: Context.Tag.Service<Entropy>,
  policy: EscrowPolicy = defaultEscrowPolicy
): Effect.Effect<Context.Tag.Service<Ledger>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const projects = new Map<string, ProjectEscrows>()
    const keeper = yield* makeEscrowKeeper(store, entropy, policy)
    const watch = yield* makeEscrowWatch(projects, keeper, store, policy)
    const exact = makeLedger(makeExactHolds(projects, keeper, store, policy), entropy)
    const parts: EscrowParts = { entropy, exact, keeper, policy, projects, store, watch }
    const { giveBack, renew, settle } = makeSettling(parts)
    return {
      hold: makeDrawing(parts),
      settle: (hold, report, also = {}) =>
        hold.escrowId === undefined ? exact.settle(hold, report, also) : neverStale(settle(hold, hold.escrowId, { report, ...also })),
      settleChosen: (hold, report, chosen, also = {}) =>
        hold.escrowId === undefined
          ? exact.settleChosen(hold, report, chosen, also)
          : settle(hold, hold.escrowId, { report, chosen, ...also }),
      void: (hold) => (hold.escrowId === undefined ? exact.void(hold) : giveBack(hold)),
      renew: (hold, leaseMs) => (hold.escrowId === undefined ? exact.renew(hold, leaseMs) : renew(hold, leaseMs)),
      balance: (project) =>
        withNow((nowMs) => {
          const of = projects.get(project.projectId)
          of?.lapse(nowMs)
          return store.balance(project, (escrowId) => of?.escrows.get(escrowId)?.drawn)
        })
    }
  })
