/** What the parts of a ledger with escrows share. */
import { type Context, Effect } from "effect"
import type { Entropy } from "../entropy.ts"
import type { Ledger } from "../ledger.ts"
import type { LedgerStore } from "../makeLedger.ts"
import type { EscrowKeeper } from "./escrowKeeper.ts"
import type { EscrowWatch } from "./escrowWatch.ts"
import type { EscrowPolicy, ProjectEscrows } from "./projectEscrows.ts"

/** What a store provides for a ledger with escrows. */
export interface EscrowStore extends LedgerStore {
  /** The escrows of any server that have been recalled. */
  readonly recalled: Effect.Effect<ReadonlyArray<string>>
}

/** The parts of one ledger. */
export interface EscrowParts {
  readonly entropy: Context.Tag.Service<Entropy>
  /** Holds of their own, in the database. */
  readonly exact: Context.Tag.Service<Ledger>
  readonly keeper: EscrowKeeper
  readonly policy: EscrowPolicy
  /** By id: those with runs in the last seconds, and those with open escrows. */
  readonly projects: Map<string, ProjectEscrows>
  readonly store: EscrowStore
  readonly watch: EscrowWatch
}
