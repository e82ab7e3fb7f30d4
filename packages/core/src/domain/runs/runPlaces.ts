/** How many runs a project may have in flight, so that it cannot occupy all places. */

/** Runs in flight, both running and waiting. */
export interface RunsInFlight {
  /** Of the requesting project. */
  readonly own: number
  /** Of all projects. */
  readonly all: number
}

/** Bounds of runs in flight. */
export interface RunBounds {
  readonly perProject: number
  readonly all: number
}

/**
 * Whether one more run may start. A project may have as many runs as places are free: a single project takes half of them, the next finds
 * the other half, and as runs end and start two projects converge to a third each. The last place goes only to a project without a run.
 */
export const mayStartRun = ({ all, own }: RunsInFlight, bounds: RunBounds): boolean => own < bounds.perProject && own < bounds.all - all
