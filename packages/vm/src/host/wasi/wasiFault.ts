/** What a WASI call does when its pointers lead outside of memory. */
import type { HostState } from "../state/hostState.ts"
import { outOfBounds, trap } from "../state/unwind.ts"

/** The only failure that the tally phase's reference reports from these calls. */
export const wasiFailure = 28

/** Tally answers a failure; execution traps (vm-abi, sections 4.6 and 9.2). */
export const wasiFault = (state: HostState): number => (state.phase === "tally" ? wasiFailure : trap(outOfBounds))
