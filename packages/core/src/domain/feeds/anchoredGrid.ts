/** When a shared feed's first run starts: on a grid that every server computes alike (decision D47). */
import type { FeedMode } from "../runs/feedSchedule.ts"
import { feedPhaseMs } from "./feedDefinition.ts"

/**
 * How many milliseconds after `wallNowMs` (Unix epoch) the next run of this feed is due. FIXED and PARALLEL have a grid of their own in
 * wall time, whoever subscribes and whenever: the next point of it, at most a period away and never now. SEQUENTIAL has no grid and
 * starts at once.
 */
export const firstStartInMs = (feedKey: string, mode: FeedMode, periodMs: number, wallNowMs: number): number => {
  if (mode === "SEQUENTIAL") return 0
  const sincePoint = (wallNowMs - feedPhaseMs(feedKey, periodMs)) % periodMs
  return periodMs - (sincePoint < 0 ? sincePoint + periodMs : sincePoint)
}
