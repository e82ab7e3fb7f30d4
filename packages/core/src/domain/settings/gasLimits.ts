/** How much gas a run may use (decision D22). */

/** Gas limits of the two phases, in gas units. */
export interface GasLimits {
  readonly exec: bigint
  readonly tally: bigint
}

/** The default gas limits of a project (decision D22). */
export const defaultGasLimits: GasLimits = { exec: 300_000_000_000_000n, tally: 50_000_000_000_000n }
