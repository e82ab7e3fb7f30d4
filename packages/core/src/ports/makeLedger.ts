/** Makes a `Ledger` from any store that can apply ledger operations. */
import { type Context, Effect } from "effect"
import { InsufficientCredits } from "../contract/errors.ts"
import type { Balance, Hold } from "../domain/credits/balance.ts"
import type { DrawnOf } from "../domain/credits/applyOperations.ts"
import { holdErrorOf } from "../domain/credits/holdError.ts"
import type { LedgerOperation, LedgerOutcome } from "../domain/credits/ledgerOperation.ts"
import type { Project } from "../domain/accounts/project.ts"
import type { ExecutionReport } from "../domain/reports/executionReport.ts"
import type { ChosenTime } from "../domain/runs/storedTime.ts"
import { type Entropy, timeOrderedUuidOf } from "./entropy.ts"
import { type AlsoDated, type Ledger, StaleTimestamp } from "./ledger.ts"
import { StoreDefect } from "./storeDefect.ts"

/** What a store provides for a ledger. */
export interface LedgerStore {
  /**
   * Applies one operation in a durable transaction: reads a snapshot, decides with `applyOperations`, writes the changes. An interrupted
   * caller must not leave a hold behind.
   */
  readonly perform: (operation: LedgerOperation) => Effect.Effect<LedgerOutcome>
  /** `drawnOf` says what is drawn of the escrows of this server. */
  readonly balance: (project: Project, drawnOf?: DrawnOf) => Effect.Effect<Balance>
}

/** A contract violation by the caller, or the outcome of another operation: both are defects. */
export const dieOf = (outcome: LedgerOutcome): Effect.Effect<never> =>
  Effect.die(new StoreDefect(outcome.kind === "breach" ? outcome.message : `the ledger answered "${outcome.kind}"`))

/** The balance after a settlement, or why it was none. */
export const settledOf = (outcome: LedgerOutcome): Effect.Effect<Balance, StaleTimestamp> => {
  if (outcome.kind === "settled") return Effect.succeed(outcome.balance)
  return outcome.kind === "stale" ? Effect.fail(new StaleTimestamp({ timestampMs: outcome.timestampMs })) : dieOf(outcome)
}

/** That credits were withdrawn, or why not; `isRecalling` says that servers are asked for more. */
export const withdrawnOf = (outcome: LedgerOutcome): Effect.Effect<void, InsufficientCredits> => {
  if (outcome.kind === "done") return Effect.void
  if (outcome.kind !== "refused" && outcome.kind !== "recalling") return dieOf(outcome)
  const { details, message } = outcome.refusal
  const recalling = outcome.kind === "recalling" ? { isRecalling: "true" } : {}
  return new InsufficientCredits({ message, details: { ...details, ...recalling } })
}

/** Whether a refused withdrawal may be carried out later, when servers have given back what they were asked for. */
export const isRecalling = (error: unknown): boolean => error instanceof InsufficientCredits && error.details?.["isRecalling"] !== undefined

/** Without a chosen timestamp, none can be stale. */
export const neverStale = <A>(settled: Effect.Effect<A, StaleTimestamp>): Effect.Effect<A> => Effect.orDie(settled)

/** The ledger over a store. Ids of holds grow with time, so that new rows are adjacent in every index. */
export const makeLedger = ({ balance, perform }: LedgerStore, entropy: Context.Tag.Service<Entropy>): Context.Tag.Service<Ledger> => {
  const newId = timeOrderedUuidOf(entropy)
  const settled = (hold: Hold, report: ExecutionReport, chosen: ChosenTime | undefined, { answer, dated, storage = [] }: AlsoDated) =>
    Effect.flatMap(perform({ kind: "settle", projectId: hold.projectId, hold, report, storage, chosen, dated, answer }), settledOf)
  return {
    hold: ({ projectId, usageLimit }, amount, leaseMs) =>
      Effect.flatMap(newId, (holdId) => {
        const hold: Hold = { holdId, projectId, amount }
        return Effect.flatMap(perform({ kind: "hold", projectId, hold, leaseMs, usageLimit }), (outcome) => {
          if (outcome.kind === "done") return Effect.succeed(hold)
          return outcome.kind === "refused" ? Effect.fail(holdErrorOf(outcome.refusal)) : dieOf(outcome)
        })
      }),
    renew: (hold, leaseMs) =>
      Effect.flatMap(perform({ kind: "renew", projectId: hold.projectId, hold, leaseMs }), (outcome) =>
        outcome.kind === "renewed" ? Effect.succeed(outcome.isOpen) : dieOf(outcome)
      ),
    settle: (hold, report, also = {}) => neverStale(settled(hold, report, undefined, also)),
    settleChosen: (hold, report, chosen, also = {}) => settled(hold, report, chosen, also),
    void: (hold) =>
      Effect.flatMap(perform({ kind: "void", projectId: hold.projectId, hold }), (outcome) =>
        outcome.kind === "done" ? Effect.void : dieOf(outcome)
      ),
    balance: (project) => balance(project)
  }
}
