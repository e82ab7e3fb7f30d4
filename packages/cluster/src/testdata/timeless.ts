/** For tests: what two runs of one request have in common, wherever and whenever they run. */
import type { PhaseOutcome } from "@sibyl/core"

/** The outcome without the times of its requests, and without what was prefetched. */
export const timeless = ({ hostCalls = [], prefetch: _, ...outcome }: PhaseOutcome) => ({
  ...outcome,
  hostCalls: hostCalls.map(({ answeredAfterMs: _ms, ...call }) => call)
})
