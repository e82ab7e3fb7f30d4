/** Judges feeds: numbers, times, what comes after a stop, and, where time is simulated, every start by the laws of its mode. */
import { at } from "../../audits/rest/call.ts"
import { judgeFeed } from "../../feeds/judgeFeed.ts"
import { observeWire } from "../../feeds/wireObservation.ts"
import { isBefore, type SocketHistory } from "../history/history.ts"
import type { Evidence } from "./evidence.ts"
import { isRecord, messagesOf } from "./executions.ts"
import { textAt } from "../history/json.ts"
import { isFeedResult, type StartedFeed } from "./startedFeeds.ts"
import { type TrafficViolation, unless } from "./violation.ts"

/** A result in the service's own words. */
interface ToldResult {
  readonly atMs: number
  readonly seq: number
  readonly scheduledAt: number
  readonly startedAt: number
}

const toldOf = ({ results }: StartedFeed): ReadonlyArray<ToldResult> =>
  results.map(({ atMs, json }) => {
    const [seq, scheduledAt, startedAt] = ["seq", "scheduledAt", "startedAt"].map((name) => Number(at(json, "params", name)))
    return { atMs, seq: seq ?? -1, scheduledAt: scheduledAt ?? Number.NaN, startedAt: startedAt ?? Number.NaN }
  })

/** How many refused runs of feeds are delivered at once on a connection, before starts are left out (decision D41). */
const refusedRunsAtOnce = 256

/** The last of them: from then on nobody can say which starts are left out. */
const refusalsEndMs = ({ heard }: SocketHistory): number => {
  const refused = messagesOf(heard).filter((message) => isFeedResult(message) && at(message.json, "params", "error") !== undefined)
  return refused[refusedRunsAtOnce - 1]?.atMs ?? Number.POSITIVE_INFINITY
}

/** Times of the service are whole milliseconds. */
const roundingMs = 2

/** The laws of the mode in the times that the service itself tells: they hold however busy it is. */
const timeFault = ({ law }: StartedFeed, told: ReadonlyArray<ToldResult>): string | undefined => {
  if (law === undefined) return undefined
  const bySeq = told.toSorted((one, other) => one.seq - other.seq)
  for (const [index, { scheduledAt, seq, startedAt }] of bySeq.entries()) {
    if (startedAt < scheduledAt - roundingMs) return `run ${seq} started at ${startedAt}, before it was due at ${scheduledAt}`
    const before = bySeq[index - 1]
    if (before === undefined) continue
    const steps = seq - before.seq
    const sinceStart = scheduledAt - before.startedAt
    if (law.mode === "PARALLEL" && Math.abs(scheduledAt - before.scheduledAt - steps * law.periodMs) > roundingMs) {
      return `runs ${before.seq} and ${seq} were due at ${before.scheduledAt} and ${scheduledAt}, the period is ${law.periodMs}`
    }
    if (law.mode === "SEQUENTIAL" && sinceStart < steps * law.periodMs - roundingMs) {
      return `run ${seq} was due ${sinceStart} ms after the start of run ${before.seq}, the period is ${law.periodMs}`
    }
    if (law.mode === "FIXED" && sinceStart < -roundingMs) return `run ${seq} was due before run ${before.seq} started`
  }
  return undefined
}

/** The numbers of results: none twice; in order and without gap where runs do not overlap. */
const seqFault = ({ law, socket }: StartedFeed, told: ReadonlyArray<ToldResult>, maxOverlap: number): string | undefined => {
  const seqs = told.map(({ seq }) => seq)
  const twice = seqs.find((seq, index) => seqs.indexOf(seq) !== index)
  if (twice !== undefined) return `the result ${twice} came twice`
  if (law?.mode !== "PARALLEL") {
    const wrong = seqs.findIndex((seq, index) => seq !== index)
    return wrong < 0 ? undefined : `the result ${seqs[wrong]} came in place of ${wrong}`
  }
  const endMs = refusalsEndMs(socket)
  const whole = told.filter(({ atMs }) => atMs <= endMs).map(({ seq }) => seq)
  const missing = Math.max(-1, ...whole) + 1 - whole.length
  return missing <= maxOverlap ? undefined : `${missing} results are missing, ${maxOverlap} runs may overlap`
}

/** Results after the reply to the stop, or of a feed that this connection never had. */
const strayFault = ({ results, stop }: StartedFeed): string | undefined => {
  const late = stop === undefined ? undefined : results.find((result) => isBefore(stop.answered, result))
  return late === undefined ? undefined : `the result ${String(at(late.json, "params", "seq"))} came after the stop`
}

const allowedErrors: ReadonlySet<string> = new Set([
  "FailedExecutionResponse",
  "InsufficientCredits",
  "FeedOverlapLimit",
  "CreditLimitExceeded",
  "Overloaded",
  "Unavailable"
])

const errorFault = ({ results }: StartedFeed): string | undefined => {
  for (const { json } of results) {
    const [result, error] = [at(json, "params", "result"), at(json, "params", "error")]
    if ((result === undefined) === (error === undefined)) return "a feed.result needs one of result and error"
    const tag = textAt(error, "_tag")
    if (error !== undefined && !allowedErrors.has(tag ?? "")) return `a run failed with ${tag}`
    if (result !== undefined && !isRecord(textAt(result, "_tag"))) return "a result is no ExecuteResponse"
  }
  return undefined
}

/** Longer than any played run takes, which is 400 ms. */
const maxRunMs = 402

/** Every start, by the laws of the mode, where observed times are exact. */
const lawFaults = ({ history }: Evidence, { law, socket, startId, stop }: StartedFeed): ReadonlyArray<string> => {
  const { toleranceMs } = history
  if (law === undefined || toleranceMs === undefined) return []
  const revoked = history.keys.find(({ text }) => text === socket.key)?.revoked
  const end = [socket.ended, revoked?.from, history.rested].filter((moment) => moment !== undefined)
  const untilMs = Math.min(refusalsEndMs(socket), ...end.map(({ atMs }) => atMs))
  const frames = socket.heard.filter(({ atMs }) => atMs <= untilMs)
  const watch = { law, startId, untilMs, maxRunMs, ...(stop === undefined ? {} : { stopId: stop.id }) }
  const seen = observeWire(frames, watch)
  return seen === undefined ? [] : judgeFeed(seen, law, toleranceMs).map(({ law: broken, message }) => `${broken}: ${message}`)
}

const judgeOne = (evidence: Evidence, feed: StartedFeed): ReadonlyArray<TrafficViolation> => {
  if (feed.feedId === undefined) return []
  const told = toldOf(feed)
  const faults = [
    seqFault(feed, told, evidence.history.feedOverlap),
    timeFault(feed, told),
    strayFault(feed),
    errorFault(feed),
    ...lawFaults(evidence, feed)
  ]
  const about = feed.law === undefined ? "the feed" : `the ${feed.law.mode} feed of ${feed.law.periodMs} ms`
  return faults.flatMap((fault) => unless(fault === undefined, "feed", feed.step, () => `${about}: ${fault}`))
}

/** Results of feeds that their connection did not start. */
const judgeStrays = ({ feeds, history }: Evidence): ReadonlyArray<TrafficViolation> =>
  history.sockets.flatMap((socket) => {
    const own = feeds.filter((feed) => feed.socket === socket)
    const stray = messagesOf(socket.heard).find(
      (message) =>
        isFeedResult(message) &&
        !own.some(({ feedId, reply }) => feedId === at(message.json, "params", "feedId") && isBefore(reply, message))
    )
    return unless(
      stray === undefined,
      "feed",
      socket.step,
      () => `a result of a feed that this connection did not start, or before its id: ${String(at(stray?.json, "params", "feedId"))}`
    )
  })

/** Feeds have ids of their own. */
const judgeIds = ({ feeds }: Evidence): ReadonlyArray<TrafficViolation> => {
  const ids = feeds.map(({ feedId }) => feedId).filter((id) => id !== undefined)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  return unless(twice === undefined, "feed", undefined, () => `two feeds have the id ${twice}`)
}

/** Every feed. */
export const judgeFeeds = (evidence: Evidence): ReadonlyArray<TrafficViolation> => [
  ...evidence.feeds.flatMap((feed) => judgeOne(evidence, feed)),
  ...judgeStrays(evidence),
  ...judgeIds(evidence)
]
