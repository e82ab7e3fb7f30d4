/** The judge of feeds: every law that one observed feed broke (decisions D35 to D40). */
import type { FeedLaw } from "./feedModel.ts"
import { judgeResults } from "./judgeResults.ts"
import { judgeStarts } from "./judgeStarts.ts"
import type { FeedObservation } from "./observation.ts"
import type { FeedViolation } from "./violation.ts"

/**
 * Checks an observed feed against its law. The tolerance (ms) is how far any observed time may be off: 0 with a virtual clock, some
 * milliseconds for a server behind a socket; it should be below half the period.
 */
export const judgeFeed = (observation: FeedObservation, law: FeedLaw, toleranceMs: number): ReadonlyArray<FeedViolation> => [
  ...judgeStarts(observation, law, toleranceMs),
  ...judgeResults(observation, toleranceMs)
]
