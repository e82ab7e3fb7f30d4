/** What `sibyl top` shows, as data: from two scrapes of a server to figures. */
import { gauge, type Interval, type Labels, rate, ratesBy, valuesOf } from "./changes.ts"
import { names } from "./metricNames.ts"
import { quantile } from "./quantile.ts"

/** A figure; null if the server does not have the metric, or nothing has happened that it is made of. */
export type Figure = number | null

/** The middle and the slow end of some durations. */
export interface Spread {
  readonly p50Ms: Figure
  readonly p99Ms: Figure
}

/** The feeds of one mode. */
export interface FeedsOfMode {
  readonly mode: string
  readonly running: Figure
  readonly lateness: Spread
  /** Starts that were left out because their client does not read. */
  readonly droppedPerSecond: Figure
}

/** One upstream that programs ask. */
export interface Upstream {
  readonly host: string
  readonly requestsPerSecond: number
  /** The part of the answers that was no success, 0 to 1. */
  readonly failedPart: Figure
  readonly latency: Spread
  /** Since its last good answer. */
  readonly staleSeconds: Figure
}

/** One look at a server. */
export interface TopView {
  readonly intervalSeconds: number
  /** Since the server's latest process started. */
  readonly upSeconds: Figure
  readonly runs: {
    readonly perSecond: Readonly<Record<string, number>>
    readonly inFlight: Figure
    /** Of a whole run, from its execution phase to its signature. */
    readonly duration: Spread
    readonly phases: Readonly<Record<string, Spread>>
    readonly queueWait: Spread
  }
  /** Threads, or executors, that can run programs. */
  readonly workers: Figure
  /** Runs that were offered to another executor, by what was wrong with the first. */
  readonly retriesPerSecond: Readonly<Record<string, number>>
  readonly feeds: ReadonlyArray<FeedsOfMode>
  /** Starts of feeds that were refused because too many runs were under way. */
  readonly overlappingPerSecond: Figure
  readonly connections: Figure
  readonly outboxBytes: Figure
  readonly upstreams: ReadonlyArray<Upstream>
  readonly credits: { readonly heldPerSecond: Figure; readonly postedPerSecond: Figure; readonly refusedPerSecond: Figure }
  readonly commit: Spread
  readonly process: {
    readonly memoryBytes: Figure
    readonly heapBytes: Figure
    /** Processors that are busy: 1 is one of them. */
    readonly processors: Figure
    readonly eventLoop: Spread
  }
}

const figure = (value: number | undefined): Figure => (value === undefined || !Number.isFinite(value) ? null : value)

const spread = (interval: Interval, name: string, labels?: Labels): Spread => {
  const ms = (part: number): Figure => {
    const seconds = quantile(interval, name, part, labels)
    return figure(seconds === undefined ? undefined : seconds * 1_000)
  }
  return { p50Ms: ms(0.5), p99Ms: ms(0.99) }
}

const feedsOf = (interval: Interval): ReadonlyArray<FeedsOfMode> => {
  const { after } = interval
  const modes = new Set([...valuesOf(after, names.feeds, "mode"), ...valuesOf(after, `${names.lateness}_count`, "mode")])
  return [...modes].toSorted().map((mode) => ({
    mode,
    running: figure(gauge(after, names.feeds, { mode })),
    lateness: spread(interval, names.lateness, { mode }),
    droppedPerSecond: figure(rate(interval, names.droppedStarts, { mode }))
  }))
}

const upstreamOf = (interval: Interval, host: string): Upstream => {
  const all = rate(interval, names.upstreamRequests, { host }) ?? 0
  const good = ["2xx", "3xx"].reduce((sum, outcome) => sum + (rate(interval, names.upstreamRequests, { host, outcome }) ?? 0), 0)
  return {
    host,
    requestsPerSecond: all,
    failedPart: all === 0 ? null : Math.max(0, all - good) / all,
    latency: spread(interval, names.upstreamDuration, { host }),
    staleSeconds: figure(gauge(interval.after, names.upstreamStaleness, { host }))
  }
}

/** The busiest first; of equals, by name. */
const upstreamsOf = (interval: Interval): ReadonlyArray<Upstream> =>
  valuesOf(interval.after, names.upstreamRequests, "host")
    .map((host) => upstreamOf(interval, host))
    .toSorted((one, two) => two.requestsPerSecond - one.requestsPerSecond)

const phasesOf = (interval: Interval): Readonly<Record<string, Spread>> =>
  Object.fromEntries(
    valuesOf(interval.after, `${names.phaseDuration}_count`, "phase").map((phase) => [
      phase,
      spread(interval, names.phaseDuration, { phase })
    ])
  )

/** The figures of an interval that ended at `atMs`, milliseconds since the epoch. */
export const topView = (interval: Interval, atMs: number): TopView => {
  const { after, seconds } = interval
  const startSeconds = gauge(after, names.startTime)
  const now = (name: string): Figure => figure(gauge(after, name))
  const perSecond = (name: string): Figure => figure(rate(interval, name))
  return {
    intervalSeconds: seconds,
    upSeconds: figure(startSeconds === undefined ? undefined : Math.max(0, atMs / 1_000 - startSeconds)),
    runs: {
      perSecond: ratesBy(interval, names.runs, "outcome"),
      inFlight: now(names.runsInFlight),
      duration: spread(interval, names.runDuration),
      phases: phasesOf(interval),
      queueWait: spread(interval, names.queueWait)
    },
    workers: now(names.workers),
    retriesPerSecond: ratesBy(interval, names.retries, "reason"),
    feeds: feedsOf(interval),
    overlappingPerSecond: perSecond(names.overlappingStarts),
    connections: now(names.connections),
    outboxBytes: now(names.outbox),
    upstreams: upstreamsOf(interval),
    credits: {
      heldPerSecond: perSecond(names.held),
      postedPerSecond: perSecond(names.posted),
      refusedPerSecond: perSecond(names.refused)
    },
    commit: spread(interval, names.commit),
    process: {
      memoryBytes: now(names.memory),
      heapBytes: now(names.heap),
      processors: perSecond(names.cpu),
      eventLoop: spread(interval, names.eventLoop)
    }
  }
}
