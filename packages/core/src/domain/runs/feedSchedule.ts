/** When the next run of a feed starts: the three modes as one pure function (decisions D35 to D38). */

/** How runs follow each other. */
export type FeedMode = "FIXED" | "SEQUENTIAL" | "PARALLEL"

/**
 * A feed's schedule. `originMs` is the start of run 0; all times are milliseconds of one clock that never goes back.
 */
export interface Schedule {
  readonly mode: FeedMode
  readonly periodMs: number
  readonly originMs: number
}

/**
 * A run that the next one follows: its place in the order of starts, its start, and its end (not needed by PARALLEL).
 */
export interface PreviousRun {
  readonly seq: number
  readonly startMs: number
  readonly endMs: number
}

/** The first point of the grid origin + k·period that is later than `afterMs` and not before `atLeastMs`. */
const gridPoint = ({ originMs, periodMs }: Schedule, afterMs: number, atLeastMs: number): number => {
  const later = Math.floor((afterMs - originMs) / periodMs) + 1
  const reached = Math.ceil((atLeastMs - originMs) / periodMs)
  const point = originMs + Math.max(later, reached) * periodMs
  // Where fractions do not add up in binary, the quotient may fall short of the point that the run started on.
  return point > afterMs ? point : point + periodMs
}

/**
 * The start of the run after `previous`.
 * FIXED keeps to the grid, and starts at once after a run longer than a period; points that were passed are dropped.
 * SEQUENTIAL waits a period from the end. PARALLEL counts from the origin, whatever the runs do.
 */
export const nextStart = (schedule: Schedule, previous: PreviousRun): number => {
  switch (schedule.mode) {
    case "FIXED":
      return previous.endMs - previous.startMs > schedule.periodMs ? previous.endMs : gridPoint(schedule, previous.startMs, previous.endMs)
    case "SEQUENTIAL":
      return previous.endMs + schedule.periodMs
    case "PARALLEL":
      return schedule.originMs + (previous.seq + 1) * schedule.periodMs
  }
}
