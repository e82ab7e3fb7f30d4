/** What a page knows of a feed after its messages: counts are exact, lists are bounded. */
import { FailedExecution, type FeedItem } from "@sibyl/client"
import fc from "fast-check"
import { expect, test } from "vitest"
import { freshTrack, keptRuns, tracked } from "./feedTrack.ts"

const summary = { creditsUsed: "7", creditsRemaining: "93", durationMs: 4 }
const answer = { _tag: "ExecuteResponse", data: { summary } } as never
const times = { scheduledAt: 10, startedAt: 12 }
const items: Readonly<Record<"result" | "failed" | "gap", (seq: number) => FeedItem<unknown>>> = {
  result: (seq) => ({ kind: "result", feedId: "f", seq, ...times, result: { price: seq }, answer }),
  failed: (seq) => ({
    kind: "failed",
    feedId: "f",
    seq,
    ...times,
    error: new FailedExecution({ code: 36001, error: "exit code 3", message: "exit code 3" })
  }),
  gap: () => ({ kind: "gap", feedId: "f", why: "reconnected", missed: undefined, from: undefined, to: undefined })
}

test("counts what came, and keeps the newest", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("result" as const, "failed" as const, "gap" as const), { maxLength: 600 }), (kinds) => {
      const track = kinds.map((kind, seq) => items[kind](seq)).reduce(tracked, freshTrack)
      const count = (kind: keyof typeof items): number => kinds.filter((each) => each === kind).length
      expect([track.succeeded, track.failed, track.creditsUsed]).toEqual([count("result"), count("failed"), 7 * count("result")])
      expect(track.runs).toHaveLength(Math.min(keptRuns, count("result") + count("failed")))
      expect(track.places).toEqual(count("result") > 0 ? ["price"] : [])
    }),
    { numRuns: 30 }
  )
})

test("a run says when, how long and why not", () => {
  const [ran, failed] = tracked(tracked(freshTrack, items.result(1)), items.failed(2)).runs
  expect(ran).toMatchObject({
    scheduledAtMs: 10,
    startedAtMs: 12,
    durationMs: 4,
    numbers: new Map([["price", 1]]),
    failure: undefined,
    creditsRemaining: 93
  })
  expect(failed).toMatchObject({ durationMs: undefined, failure: "exit code 3", creditsRemaining: undefined })
})
