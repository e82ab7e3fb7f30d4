/** The laws of the three modes as a model: after one run, when the next may start (decisions D35 to D38). */

/** The request for a feed. */
export interface FeedLaw {
  readonly mode: "FIXED" | "SEQUENTIAL" | "PARALLEL"
  readonly periodMs: number
  /** Concurrent runs of a PARALLEL feed. */
  readonly maxOverlap: number
}

/** A run from start to end. */
export interface ModelRun {
  readonly startMs: number
  readonly endMs: number
}

/**
 * The start that follows a run of a FIXED feed, found by walking the grid: at once after a run that took longer than a period; else at the
 * first point that is later than its start and not before its end. The walk begins just before the run, because walking from the origin
 * would be too slow.
 */
const afterFixed = (periodMs: number, originMs: number, { endMs, startMs }: ModelRun): number => {
  if (endMs - startMs > periodMs) return endMs
  let whole = Math.floor((startMs - originMs) / periodMs) - 1
  while (originMs + whole * periodMs <= startMs || originMs + whole * periodMs < endMs) whole += 1
  return originMs + whole * periodMs
}

/** The start of the run after the one at `index`, if the first run started at `originMs`. PARALLEL needs no end. */
export const startAfter = (law: FeedLaw, originMs: number, index: number, run: ModelRun): number => {
  if (law.mode === "SEQUENTIAL") return run.endMs + law.periodMs
  if (law.mode === "PARALLEL") return originMs + (index + 1) * law.periodMs
  return afterFixed(law.periodMs, originMs, run)
}

/**
 * Every allowed next start if the observed run is off by up to the tolerance. Near a point of the grid there are two; without a tolerance
 * there is one.
 */
export const startsAfter = (law: FeedLaw, originMs: number, index: number, run: ModelRun, toleranceMs: number): ReadonlyArray<number> => {
  const errors = toleranceMs === 0 ? [0] : [-toleranceMs, 0, toleranceMs]
  const candidates = errors.flatMap((early) =>
    errors.map((late) => {
      const startMs = run.startMs + early
      return startAfter(law, originMs, index, { startMs, endMs: Math.max(startMs, run.endMs + late) })
    })
  )
  return [...new Set(candidates)]
}
