/** What a client receives is enough to judge a feed: nearly every faulty scheduler is detected by its frames alone. */
import { describe, expect, test } from "vitest"
import fc from "fast-check"
import { makeSimClock } from "../clock/simClock.ts"
import { feedFaults } from "./faultyFeeds.ts"
import { type FeedTraffic, feedTraffic } from "./feedTraffic.ts"
import { judgeFeed } from "./judgeFeed.ts"
import type { FeedObservation, ObservedResult } from "./observation.ts"
import { plainFeeds, type FeedRules } from "./plainFeed.ts"
import { playTraffic } from "./playTraffic.ts"
import type { FeedViolation } from "./violation.ts"
import { type HeardFrame, observeWire } from "./wireObservation.ts"

/** The server's clock is an hour behind the client's. */
const skewMs = -3_600_000

const frameOf = ({ atMs, outcome, scheduledAtMs, seq, startedAtMs }: ObservedResult, feedId: string): HeardFrame => {
  const errors = { ok: undefined, failed: { _tag: "InternalError" }, refused: { _tag: "FeedOverlapLimit" } }
  const times = { seq, scheduledAt: scheduledAtMs + skewMs, startedAt: startedAtMs + skewMs }
  const params = { feedId, ...times, ...(outcome === "ok" ? { result: {} } : { error: errors[outcome] }) }
  return { atMs, text: JSON.stringify({ jsonrpc: "2.0", method: "feed.result", params }) }
}

/** What a client would have received for a feed, among frames of another feed. */
const heard = ({ askedMs, results, stopped }: FeedObservation): ReadonlyArray<HeardFrame> => {
  const frames = results.map((result) => frameOf(result, "mine"))
  const others = results.map((result) => frameOf(result, "other"))
  const reply = (atMs: number, id: string): HeardFrame => ({
    atMs,
    text: JSON.stringify({ jsonrpc: "2.0", id, result: { feedId: "mine" } })
  })
  const before = frames.slice(0, stopped?.afterResults)
  const after = frames.slice(before.length)
  const stop = stopped === undefined ? [] : [reply(stopped.atMs, "stop")]
  return [reply(askedMs, "start"), ...others, ...before, ...stop, ...after]
}

const judgedFromWire = (overrides: Partial<FeedRules>, traffic: FeedTraffic): ReadonlyArray<FeedViolation> => {
  const clock = makeSimClock()
  const planned = traffic.connections.flatMap(({ feeds }) => feeds.flatMap(({ runs }) => runs))
  const longestMs = Math.max(...planned.map(({ takesMs }) => takesMs))
  return playTraffic(clock, plainFeeds(clock, overrides), traffic).flatMap(({ law, observation }) => {
    const watch = { law, startId: "start", stopId: "stop", untilMs: traffic.watchMs, maxRunMs: longestMs + 1 }
    const seen = observeWire(heard(observation), watch)
    return seen === undefined ? [] : judgeFeed(seen, law, 1)
  })
}

const sessions = fc.sample(feedTraffic("milliseconds"), { numRuns: 100, seed: 20_261_120 })

test("a correct scheduler passes", () => {
  for (const traffic of sessions) expect(judgedFromWire({}, traffic)).toEqual([])
})

/** What a client cannot observe, and why. */
const hidden: Readonly<Record<string, string>> = {
  "a first run after a period": "the clocks need not agree, so the first start is taken for the answer",
  "a failure reported as a success": "only the program knows",
  "results a millisecond late": "within the tolerance",
  "PARALLEL that drifts by a microsecond with every run": "within the tolerance for as long as these sessions last",
  "runs that still start after a stop": "nothing is heard of them"
}

describe("a fault is detected:", () => {
  test("every unobservable fault exists", () => {
    expect(Object.keys(hidden).filter((name) => !feedFaults.some((fault) => fault.name === name))).toEqual([])
  })

  test.each(feedFaults.filter(({ name }) => hidden[name] === undefined))("$name", ({ overrides }) => {
    expect(sessions.some((traffic) => judgedFromWire(overrides, traffic).length > 0)).toBe(true)
  })
})

test("a feed that was refused, or never answered, is not judged", () => {
  const law = { mode: "FIXED", periodMs: 100, maxOverlap: 1 } as const
  const watch = { law, startId: "start", untilMs: 1_000, maxRunMs: 10 }
  const refusal = { atMs: 1, text: JSON.stringify({ jsonrpc: "2.0", id: "start", error: { code: 36_004 } }) }
  expect(observeWire([], watch)).toBeUndefined()
  expect(observeWire([refusal], watch)).toBeUndefined()
})
