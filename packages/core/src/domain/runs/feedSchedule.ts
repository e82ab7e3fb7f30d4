/** When the next run of a feed starts: the three modes as one pure function (decisions D35 to D38). */

/** How the start of the next run is determined. */
export type FeedMode = "FIXED" | "SEQUENTIAL" | "PARALLEL"

/** A feed's schedule. `originMs` is the start of run 0; all times are milliseconds of one monotonic clock. */
export interface Schedule {
  readonly mode: FeedMode
  readonly periodMs: number
  readonly originMs: number
}

/** The previous run: its sequence number, its start, and its end (not used by PARALLEL). */
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
  // Because of rounding, the quotient may fall short of the point at which the run started.
  return point > afterMs ? point : point + periodMs
}

/**
 * The start of the run after `previous`. FIXED stays on the grid, and starts at once after a run longer than a period; missed points are
 * dropped. SEQUENTIAL starts a period after the end. PARALLEL counts from the origin, however long runs take.
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
