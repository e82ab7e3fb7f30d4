/** Audits of the three modes of a feed, based on the times in its results (D35 to D39). */
import { type Audit, audit } from "../audit.ts"
import { type Check, holds, same } from "../check.ts"
import { awaitResults, type FeedResult, startFeed, type StartParams } from "./requests.ts"
import { withClient, type WsTarget } from "./wsTarget.ts"

/** Completed runs of a feed, in the order of their starts. */
const observe = (target: WsTarget, mode: StartParams["mode"], periodicityMs: number, count: number): Promise<ReadonlyArray<FeedResult>> =>
  withClient(target, async (client) => {
    const feedId = await startFeed(client, { execute: { execProgramId: target.programs.echo }, mode, periodicityMs })
    return awaitResults(client, feedId, count)
  })

/** Each run with the previous one, and what is wrong with the pair. */
const faultyPairs = (
  runs: ReadonlyArray<FeedResult>,
  isFaulty: (run: FeedResult, before: FeedResult) => boolean
): ReadonlyArray<readonly [FeedResult, FeedResult]> =>
  runs.slice(1).flatMap((run, index) => {
    const before = runs[index]
    return before !== undefined && isFaulty(run, before) ? [[before, run] as const] : []
  })

const shown = (pairs: ReadonlyArray<readonly [FeedResult, FeedResult]>): unknown =>
  pairs.slice(0, 3).map((pair) => pair.map(({ scheduledAt, seq, startedAt }) => ({ seq, scheduledAt, startedAt })))

const inOrder = (runs: ReadonlyArray<FeedResult>): ReadonlyArray<FeedResult> => runs.toSorted((one, two) => one.seq - two.seq)

/** What holds in every mode: consecutive numbers, and no start before its time. */
const wellFormed = (runs: ReadonlyArray<FeedResult>, count: number): ReadonlyArray<Check> => {
  const early = runs.filter(({ scheduledAt, startedAt }) => startedAt < scheduledAt)
  return [
    holds(`${count} runs`, runs.length >= count, runs.length),
    same("each seq once", new Set(runs.map(({ seq }) => seq)).size, runs.length),
    same("starts before their time", early.slice(0, 3), [])
  ]
}

const runsCount = 30

/** Starts that could be due to rounding; more of them are not a coincidence. */
const mostDoubtful = 3

const keepsFixed = audit<WsTarget>(
  "WS-MODE-001",
  "MUST",
  "interface.md#feed-start/D36",
  "FIXED: starts on the grid of the first, except directly after a run longer than a period; results in order",
  async (target) => {
    const period = 40
    const runs = await observe(target, "FIXED", period, runsCount)
    const origin = runs[0]?.scheduledAt ?? 0
    const offGridAfter = (isFaulty: (distance: number) => boolean): ReturnType<typeof faultyPairs> =>
      faultyPairs(runs, (run, before) => (run.scheduledAt - origin) % period !== 0 && isFaulty(run.scheduledAt - before.startedAt))
    const offGrid = offGridAfter((distance) => distance < period)
    // A run slightly longer than the period looks the same as a drifting schedule, but only now and then.
    const doubtful = offGridAfter((distance) => distance === period)
    const crowded = faultyPairs(runs, (run, before) => run.startedAt < before.startedAt)
    return [
      ...wellFormed(runs, runsCount),
      same(
        "seq in order",
        runs.map(({ seq }) => seq),
        runs.map((_, index) => index)
      ),
      holds("on the grid", offGrid.length === 0 && doubtful.length <= mostDoubtful, shown([...offGrid, ...doubtful])),
      holds("one after the other", crowded.length === 0, shown(crowded))
    ]
  }
)

const keepsSequential = audit<WsTarget>(
  "WS-MODE-002",
  "MUST",
  "interface.md#feed-start/D37",
  "SEQUENTIAL: a period is between the end of a run and the next start; results in order",
  async (target) => {
    const period = 40
    const runs = await observe(target, "SEQUENTIAL", period, runsCount)
    // A run ends after its start; times are rounded to milliseconds.
    const soon = faultyPairs(runs, (run, before) => run.startedAt < before.startedAt + period - 1)
    return [
      ...wellFormed(runs, runsCount),
      same(
        "seq in order",
        runs.map(({ seq }) => seq),
        runs.map((_, index) => index)
      ),
      holds("a period between", soon.length === 0, shown(soon))
    ]
  }
)

const keepsParallel = audit<WsTarget>(
  "WS-MODE-003",
  "MUST",
  "interface.md#feed-start/D38/D39",
  "PARALLEL: start n is at the first plus n periods, however long runs take; no start is dropped",
  async (target) => {
    const period = 10
    const runs = inOrder(await observe(target, "PARALLEL", period, 3 * runsCount))
    const [first] = runs
    const astray = runs.filter(({ scheduledAt, seq }) => scheduledAt !== (first?.scheduledAt ?? 0) + seq * period)
    // The last ones may still be in flight.
    const missing = runs.slice(0, runsCount).filter(({ seq }, index) => seq !== index)
    return [
      ...wellFormed(runs, 3 * runsCount),
      same("away from their time", astray.slice(0, 3), []),
      same("dropped", missing.slice(0, 3), [])
    ]
  }
)

/** The three modes. */
export const scheduleAudits: ReadonlyArray<Audit<WsTarget>> = [keepsFixed, keepsSequential, keepsParallel]
