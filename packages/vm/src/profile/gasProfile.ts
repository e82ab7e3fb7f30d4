/** Where the gas of one phase went: by function, and as a tree of calls. */
import type { Phase } from "@sibyl/core"

/** What one function spent, or one host function, or the start of the program. */
export interface GasRow {
  /** From the name section, else from an export; a host function by `module.name`. */
  readonly name: string
  readonly kind: "start" | "host" | "function"
  /** Gas of its own code; a host function's is what its calls are charged. */
  readonly self: bigint
  /** The same with all that it called, calls of itself counted once. */
  readonly total: bigint
  readonly calls: number
}

/** One function under one chain of callers. */
export interface CallNode {
  readonly name: string
  /** The node of its caller, which stands before it; -1 for what the host called, and for the start. */
  readonly parent: number
  readonly self: bigint
}

/** Where a phase's gas went. */
export interface PhaseProfile {
  readonly phase: Phase
  /** Of the phase: what the rows' own gas sums to, and the tree's. */
  readonly gasUsed: bigint
  /** All called functions by self gas, highest first; empty without a profile. */
  readonly rows: ReadonlyArray<GasRow>
  /** The calls, each before those that it made. Chains that are too long end in one node for all that is deeper. */
  readonly tree: ReadonlyArray<CallNode>
  /** Why there is no profile. */
  readonly missing?: string
}
