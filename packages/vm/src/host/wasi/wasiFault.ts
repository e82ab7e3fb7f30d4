/** The outcome of a WASI call with pointers outside of memory. */
import type { HostState } from "../state/hostState.ts"
import { outOfBounds, trap } from "../state/unwind.ts"

/** The only failure that the tally phase's reference reports from these calls. */
export const wasiFailure = 28

/** Tally returns a failure; execution traps, each as its reference VM does. */
export const wasiFault = (state: HostState): number => (state.phase === "tally" ? wasiFailure : trap(outOfBounds))
