/** Judges the starts of a feed from its results: what is wrong for certain, and what rounding and clocks leave undecided (D35 to D38). */

/** One run of a feed, as its result tells of it, and when that arrived. */
export interface SeenRun {
  readonly seq: number
  /** Whole milliseconds of the service's clock. */
  readonly scheduledAt: number
  readonly startedAt: number
  /** `blockTimestamp`, by the same clock, if the run has one: the run ended then or later. */
  readonly stampedAt: number | undefined
  /** Milliseconds of the client's clock: the run ended then or before. */
  readonly arrivedAtMs: number
}

/** The results of one feed, and when it was asked for by the client's clock: run 0 started then or later. */
export interface SeenFeed {
  readonly askedAtMs: number
  readonly periodMs: number
  readonly runs: ReadonlyArray<SeenRun>
}

/** A verdict: faults that no rounding explains, and starts that may be right or wrong. */
export interface ScheduleVerdict {
  readonly faults: ReadonlyArray<string>
  readonly undecided: ReadonlyArray<string>
}

/**
 * How far apart two times may be told that are equal, in milliseconds: each is rounded, up or down, and a service may read two clocks for
 * them. Nothing that is closer is a fault.
 */
export const toleranceMs = 2

type Pair = readonly [before: SeenRun, run: SeenRun]

const inOrder = ({ runs }: SeenFeed): ReadonlyArray<SeenRun> => runs.toSorted((one, other) => one.seq - other.seq)

/** The runs that follow each other directly, in the order of their starts. */
const pairsOf = (feed: SeenFeed): ReadonlyArray<Pair> => {
  const runs = inOrder(feed)
  return runs.slice(1).flatMap((run, index) => {
    const before = runs[index]
    return before !== undefined && run.seq === before.seq + 1 ? [[before, run] as const] : []
  })
}

/**
 * The latest time of the service's clock at which a run can have ended. The two clocks differ by an unknown amount, which is at least the
 * time from asking for the feed to the start of run 0, as the two clocks tell them; the way to the client only makes it later.
 */
const latestEnd = ({ askedAtMs, runs }: SeenFeed): ((run: SeenRun) => number) => {
  const first = runs.find(({ seq }) => seq === 0)
  return first === undefined ? () => Number.POSITIVE_INFINITY : ({ arrivedAtMs }) => arrivedAtMs - (askedAtMs - first.startedAt)
}

/**
 * What contradicts the arrival of a result. A service may be held up between sending a result and reading its clock, so that a few of these
 * prove nothing; a quarter of all starts does.
 */
const weighed = (suspicions: ReadonlyArray<string>, pairs: number): ScheduleVerdict =>
  4 * suspicions.length > pairs ? { faults: suspicions, undecided: [] } : { faults: [], undecided: suspicions }

const times = ({ scheduledAt, seq, startedAt }: SeenRun): string => `run ${seq} scheduled ${scheduledAt}, started ${startedAt}`

const early = (feed: SeenFeed): ReadonlyArray<string> =>
  feed.runs.flatMap((run) => (run.startedAt < run.scheduledAt - toleranceMs ? [`${times(run)}: before its time`] : []))

/** Runs of modes that wait: one starts when the one before has ended. */
const overlapping = (feed: SeenFeed): ReadonlyArray<string> =>
  pairsOf(feed).flatMap(([before, run]) => {
    const endedAt = Math.max(before.startedAt, before.stampedAt ?? before.startedAt)
    return run.startedAt < endedAt - toleranceMs ? [`${times(run)}: before run ${before.seq} had ended at ${endedAt}`] : []
  })

const distanceToGrid = (at: number, originMs: number, periodMs: number): number => {
  const past = (((at - originMs) % periodMs) + periodMs) % periodMs
  return Math.min(past, periodMs - past)
}

/**
 * FIXED: a start is on the grid of the first, at the first point that is after the start and not before the end of the run before; only
 * after a run longer than a period it is at that run's end. When a run ended is known only within limits, so that a run of about a period
 * leaves the question open.
 */
export const judgeFixed = (feed: SeenFeed): ScheduleVerdict => {
  const { periodMs } = feed
  const originMs = inOrder(feed)[0]?.scheduledAt ?? 0
  const endOf = latestEnd(feed)
  const pairs = pairsOf(feed)
  const isOnGrid = ([, run]: Pair): boolean => distanceToGrid(run.scheduledAt, originMs, periodMs) <= toleranceMs
  const tookMs = ([before, run]: Pair): number => run.scheduledAt - before.startedAt
  const offGrid = pairs.filter((pair) => !isOnGrid(pair))
  const short = offGrid.filter((pair) => tookMs(pair) < periodMs - toleranceMs)
  const open = offGrid.filter((pair) => Math.abs(tookMs(pair) - periodMs) <= toleranceMs)
  const contradicted = pairs.flatMap((pair) => {
    const [before, run] = pair
    const hadEnded = (atMs: number): boolean => endOf(before) < atMs - toleranceMs
    if (!isOnGrid(pair)) return hadEnded(run.scheduledAt) ? [`${times(run)}: neither on the grid nor at the end of run ${before.seq}`] : []
    const pointBefore = run.scheduledAt - periodMs
    const isDropped = pointBefore > before.startedAt + toleranceMs && hadEnded(pointBefore)
    return isDropped ? [`${times(run)}: the point before was free`] : []
  })
  const { faults, undecided } = weighed(contradicted, pairs.length)
  return {
    faults: [
      ...early(feed),
      ...overlapping(feed),
      ...short.map((pair) => `${times(pair[1])}: off the grid, ${tookMs(pair)} ms after the start before it`),
      ...faults
    ],
    undecided: [...undecided, ...open.map(([before, run]) => `${times(run)}: run ${before.seq} took about a period`)]
  }
}

/** SEQUENTIAL: a period lies between the end of a run and the next start, which is known within limits. */
export const judgeSequential = (feed: SeenFeed): ScheduleVerdict => {
  const endOf = latestEnd(feed)
  const pairs = pairsOf(feed)
  const soon = pairs.flatMap(([before, run]) => {
    const earliest = Math.max(before.startedAt, before.stampedAt ?? before.startedAt) + feed.periodMs
    return run.scheduledAt < earliest - toleranceMs ? [`${times(run)}: less than a period after the end of run ${before.seq}`] : []
  })
  const late = pairs.flatMap(([before, run]) => {
    const isLate = run.scheduledAt > endOf(before) + feed.periodMs + toleranceMs
    return isLate ? [`${times(run)}: more than a period after the end of run ${before.seq}`] : []
  })
  const { faults, undecided } = weighed(late, pairs.length)
  return { faults: [...early(feed), ...overlapping(feed), ...soon, ...faults], undecided }
}

/** PARALLEL: start n is at the first plus n periods, whatever the runs do. */
export const judgeParallel = (feed: SeenFeed): ScheduleVerdict => {
  const first = inOrder(feed)[0]
  const originMs = first === undefined ? 0 : first.scheduledAt - first.seq * feed.periodMs
  const faults = feed.runs.flatMap((run) =>
    Math.abs(run.scheduledAt - (originMs + run.seq * feed.periodMs)) > toleranceMs ? [`${times(run)}: not at its point`] : []
  )
  return { faults: [...early(feed), ...faults], undecided: [] }
}
