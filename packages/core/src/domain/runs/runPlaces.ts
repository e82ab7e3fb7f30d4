/** How many runs a project may have in flight, so that none takes the places of all others. */

/** Runs in flight, running and waiting together. */
export interface RunsInFlight {
  /** Of the project that asks. */
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
 * Whether one more run may start. A project may have as many as places are free: one alone takes half of them, who comes
 * next finds the other half, and as runs end and start two come to a third each. The last place goes to a project's first run only.
 */
export const mayStartRun = ({ all, own }: RunsInFlight, bounds: RunBounds): boolean => own < bounds.perProject && own < bounds.all - all
