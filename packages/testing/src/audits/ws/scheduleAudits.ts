/** Audits of the three modes of a feed, judged by what its results say: numbers and times first, arrival only as a bound (D35 to D39). */
import { type Audit, audit } from "../audit.ts"
import { type Check, holds, same } from "../check.ts"
import { at, freshInputs } from "../rest/call.ts"
import { type FeedResult, startFeed, type StartParams } from "./requests.ts"
import { judgeFixed, judgeParallel, judgeSequential, type ScheduleVerdict, type SeenFeed, type SeenRun } from "./scheduleJudge.ts"
import { withClient, type WsTarget } from "./wsTarget.ts"

type Mode = StartParams["mode"]

const seenRun = (params: FeedResult, arrivedAtMs: number): SeenRun => {
  const { scheduledAt, seq, startedAt } = params
  const stamp = at(params.result ?? params.error, "data", "dataResult", "blockTimestamp")
  return { seq, scheduledAt, startedAt, stampedAt: typeof stamp === "string" ? Number(stamp) : undefined, arrivedAtMs }
}

/** Long enough for a machine with ten times the work that it can do. */
const observedWithinMs = 60_000

/**
 * Watches a feed until each of its first runs was told, in whatever order. Inputs that no other run has keep the block timestamp, which
 * grows with each run of a request, that of the clock.
 */
const observe = (target: WsTarget, mode: Mode, periodMs: number, count: number): Promise<SeenFeed> =>
  withClient(target, async (client) => {
    const askedAtMs = performance.now()
    const execute = { execProgramId: target.programs.echo, execInputs: freshInputs() }
    const feedId = await startFeed(client, { execute, mode, periodicityMs: periodMs })
    const runsSoFar = (): ReadonlyArray<SeenRun> =>
      client.messages.flatMap(({ atMs, json }) =>
        json["method"] === "feed.result" && at(json, "params", "feedId") === feedId ? [seenRun(json["params"] as FeedResult, atMs)] : []
      )
    const hasFirst = (): boolean => {
      const numbers = new Set(runsSoFar().map(({ seq }) => seq))
      return Array.from({ length: count }, (_, seq) => seq).every((seq) => numbers.has(seq))
    }
    // A run that is never told is noticed once twice as many as needed have been.
    await client.until(
      () => (hasFirst() || runsSoFar().length >= 2 * count ? true : undefined),
      Math.min(target.settlingMs ?? observedWithinMs, observedWithinMs)
    )
    return { askedAtMs, periodMs, runs: runsSoFar() }
  })

const inOrder = (feed: SeenFeed): Check =>
  same(
    "seq in order",
    feed.runs.map(({ seq }) => seq),
    feed.runs.map((_, index) => index)
  )

const noneDropped = (feed: SeenFeed, count: number): ReadonlyArray<Check> => {
  const numbers = new Set(feed.runs.map(({ seq }) => seq))
  const missing = Array.from({ length: count }, (_, seq) => seq).filter((seq) => !numbers.has(seq))
  return [same("runs that were not told", missing, []), same("each seq once", numbers.size, feed.runs.length)]
}

const runsCount = 30

/** How often a feed is watched that leaves its verdict open. */
const mostObservations = 5

/** One audit of a mode: what is undecided is observed again, and what stays so is no fault. */
const ofMode = (
  id: string,
  clause: string,
  title: string,
  mode: Mode,
  periodMs: number,
  judge: (feed: SeenFeed) => ScheduleVerdict
): Audit<WsTarget> =>
  audit<WsTarget>(id, "MUST", clause, title, async (target) => {
    const checks: Array<Check> = []
    for (let observations = 1; observations <= mostObservations; observations += 1) {
      const feed = await observe(target, mode, periodMs, runsCount)
      const { faults, undecided } = judge(feed)
      checks.push(
        ...noneDropped(feed, runsCount),
        ...(mode === "PARALLEL" ? [] : [inOrder(feed)]),
        holds(`observation ${observations}: starts`, faults.length === 0, faults.slice(0, 3))
      )
      if (undecided.length === 0 || faults.length > 0) break
    }
    return checks
  })

/** The three modes. */
export const scheduleAudits: ReadonlyArray<Audit<WsTarget>> = [
  ofMode(
    "WS-MODE-001",
    "interface.md#feed-start/D36",
    "FIXED: starts on the grid of the first, except directly after a run longer than a period; no free point is dropped; results in order",
    "FIXED",
    40,
    judgeFixed
  ),
  ofMode(
    "WS-MODE-002",
    "interface.md#feed-start/D37",
    "SEQUENTIAL: a period, no less and no more, is between the end of a run and the next start; results in order",
    "SEQUENTIAL",
    40,
    judgeSequential
  ),
  ofMode(
    "WS-MODE-003",
    "interface.md#feed-start/D38/D39",
    "PARALLEL: start n is at the first plus n periods, however long runs take; no start is dropped",
    "PARALLEL",
    10,
    judgeParallel
  )
]
