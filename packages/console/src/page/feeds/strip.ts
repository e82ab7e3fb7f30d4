/** Where the marks and bars of a feed's strip lie: scheduled starts above, actual starts and lengths beneath. Plain functions. */
import type { FeedTrack, TrackedRun } from "./feedTrack.ts"

/** A run in the strip. Positions are parts of its width, 0 to 1. */
export interface StripBar {
  readonly name: string
  readonly scheduled: number
  readonly start: number
  readonly end: number
  /** Runs that overlap lie in lanes of their own, from 0. */
  readonly lane: number
  readonly failure: string | undefined
}

/** A strip. */
export interface Strip {
  readonly bars: ReadonlyArray<StripBar>
  /** From where to where something is missing. */
  readonly gaps: ReadonlyArray<{ readonly start: number; readonly end: number }>
  readonly lanes: number
}

/** How many periods a strip shows. */
export const stripPeriods = 12

const endOf = ({ durationMs = 0, startedAtMs }: TrackedRun): number => startedAtMs + durationMs

/** The first lane whose last run has ended. */
const freeLane = (ends: ReadonlyArray<number>, startMs: number): number => {
  const free = ends.findIndex((endMs) => endMs <= startMs)
  return free < 0 ? ends.length : free
}

/** What ends a gap after which no run has come yet. */
const latestOf = (toMs: number) => ({ startedAtMs: Number.POSITIVE_INFINITY, scheduledAtMs: toMs })

/** The strip that ends with the newest run. */
export const stripOf = ({ gaps, runs }: Pick<FeedTrack, "gaps" | "runs">, periodMs: number): Strip => {
  const toMs = runs.reduce((latest, run) => Math.max(latest, endOf(run)), 0)
  const fromMs = toMs - stripPeriods * periodMs
  const part = (ms: number): number => Math.min(1, Math.max(0, (ms - fromMs) / (toMs - fromMs)))
  const shown = runs.filter((run) => endOf(run) > fromMs).toSorted((one, other) => one.startedAtMs - other.startedAtMs)
  const ends: Array<number> = []
  const bars = shown.map((run): StripBar => {
    const lane = freeLane(ends, run.startedAtMs)
    ends[lane] = endOf(run)
    return {
      name: `${run.feedId}/${run.seq}`,
      scheduled: part(run.scheduledAtMs),
      start: part(run.startedAtMs),
      end: part(endOf(run)),
      lane,
      failure: run.failure
    }
  })
  const nextAfter = (ms: number): number =>
    runs.reduce((next, run) => (run.startedAtMs > ms && run.startedAtMs < next.startedAtMs ? run : next), latestOf(toMs)).scheduledAtMs
  // A gap that began before the strip does is still shown while the run after it is.
  const missing = gaps.flatMap(({ afterMs }) => {
    if (afterMs === undefined) return []
    const untilMs = nextAfter(afterMs)
    return untilMs <= fromMs ? [] : [{ start: part(afterMs), end: part(untilMs) }]
  })
  return { bars, gaps: missing, lanes: Math.max(1, ends.length) }
}
