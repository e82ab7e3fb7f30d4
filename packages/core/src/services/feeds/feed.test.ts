/** Edge cases of one feed: the first run, stalls of the process, runs that block the thread, stops, overlap. */
import { makeSimClock, makeSimRuntime, type SimClock } from "@sibyl/testing"
import { Cause, Context, Effect, Exit } from "effect"
import { describe, expect, test } from "vitest"
import { feedModes } from "../../contract/rpc.ts"
import type { Feed, FeedPlan, FeedRun } from "./feed.ts"
import { Feeds } from "./feeds.ts"

type Plan = FeedPlan<unknown, unknown> & { readonly run: Effect.Effect<unknown, unknown> }

/**
 * A feed on a clock, with the times of its starts and all that it delivered. Times are milliseconds since the feed
 * started.
 */
const open = (clock: SimClock, plan: Partial<Plan> & Pick<Plan, "mode">) => {
  const { close, runtime } = makeSimRuntime(clock, Feeds.layer)
  const starts: Array<number> = []
  const delivered: Array<FeedRun<unknown, unknown>> = []
  const originMs = clock.nowMs()
  const begin = Effect.sync(() => starts.push(clock.nowMs() - originMs))
  const feed: Feed<unknown, unknown> = Context.get(runtime.context, Feeds).start({
    periodMs: 100,
    maxOverlap: 4,
    ...plan,
    run: Effect.zipRight(begin, plan.run ?? Effect.void),
    deliver: (run) => {
      delivered.push(run)
      plan.deliver?.(run)
    }
  })
  return { feed, starts, delivered, close, seqs: () => delivered.map(({ seq }) => seq) }
}

const countTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index)

describe("the first run", () => {
  test.each(feedModes)("of %s begins, and may end, before the start of the feed returns", (mode) => {
    const clock = makeSimClock(1_000)
    const { delivered, starts } = open(clock, { mode })
    expect(starts).toEqual([0])
    expect(delivered).toEqual([{ seq: 0, scheduledAtMs: 1_000, startedAtMs: 1_000, exit: Exit.void }])
  })
})

describe("after a stall of the process", () => {
  test("PARALLEL makes up for every missed start, in order", () => {
    const clock = makeSimClock(0)
    const { delivered, seqs, starts } = open(clock, { mode: "PARALLEL", periodMs: 10 })
    clock.advance(5)
    clock.stall(1_000_000)
    clock.advance(0)
    expect(seqs()).toEqual(countTo(100_001))
    expect(starts.slice(0, 3)).toEqual([0, 1_000_005, 1_000_005])
    // The feed reports how late each run was.
    expect(delivered.findIndex(({ scheduledAtMs, seq }) => scheduledAtMs !== seq * 10)).toBe(-1)
    clock.advance(10)
    expect(starts.at(-1)).toBe(1_000_010)
  })

  test("PARALLEL refuses runs beyond the overlap limit, with a result for each", () => {
    const clock = makeSimClock()
    const { delivered, seqs } = open(clock, { mode: "PARALLEL", periodMs: 10, run: Effect.sleep(500) })
    clock.advance(5)
    clock.stall(100)
    clock.advance(0)
    // Runs 0 to 3 are in flight, the next seven were due meanwhile.
    expect(seqs()).toEqual([4, 5, 6, 7, 8, 9, 10])
    expect(delivered.map(({ exit }) => Exit.isFailure(exit) && Cause.failureOption(exit.cause))).toMatchObject(
      seqs().map(() => ({ _tag: "Some", value: { _tag: "FeedOverlapLimit", details: { maxOverlap: 4 } } }))
    )
  })

  test("FIXED skips the missed points and stays on its grid", () => {
    const clock = makeSimClock()
    const { starts } = open(clock, { mode: "FIXED" })
    clock.advance(150)
    clock.stall(1_000)
    clock.advance(200)
    expect(starts).toEqual([0, 100, 1_150, 1_200, 1_300])
  })

  test("SEQUENTIAL continues a period after the late run", () => {
    const clock = makeSimClock()
    const { starts } = open(clock, { mode: "SEQUENTIAL" })
    clock.advance(50)
    clock.stall(1_000)
    clock.advance(200)
    expect(starts).toEqual([0, 1_050, 1_150, 1_250])
  })
})

describe("runs that block the thread", () => {
  test("longer than a FIXED period follow each other immediately, without growing the stack", () => {
    const clock = makeSimClock()
    const hog = Effect.sync(() => clock.stall(150))
    let left = 20_000
    const view = open(clock, {
      mode: "FIXED",
      run: hog,
      deliver: () => {
        left -= 1
        if (left === 0) view.feed.stop()
      }
    })
    clock.advance(20_000 * 150)
    expect(view.starts).toEqual(countTo(20_000).map((run) => run * 150))
  })

  test("end before their result is delivered", () => {
    const clock = makeSimClock()
    const { starts } = open(clock, { mode: "SEQUENTIAL", run: Effect.sleep(10), deliver: () => clock.stall(7) })
    clock.advance(350)
    expect(starts).toEqual([0, 110, 220, 330])
  })
})

describe("a stop", () => {
  test("during a delivery makes that delivery the last", () => {
    for (const mode of feedModes) {
      const clock = makeSimClock()
      const view = open(clock, {
        mode,
        run: Effect.sleep(1),
        deliver: ({ seq }) => {
          if (seq === 2) view.feed.stop()
        }
      })
      clock.advance(1_000)
      expect(view.seqs()).toEqual([0, 1, 2])
      expect(view.starts.length).toBe(3)
    }
  })

  test("interrupts the runs in flight, which are never delivered", () => {
    const clock = makeSimClock()
    let interrupted = 0
    const run = Effect.onInterrupt(Effect.sleep(1_000), () => Effect.sync(() => (interrupted += 1)))
    const { close, delivered, feed, starts } = open(clock, { mode: "PARALLEL", run })
    clock.advance(250)
    feed.stop()
    feed.stop()
    clock.advance(5_000)
    expect([starts.length, interrupted, delivered.length]).toEqual([3, 3, 0])
    close()
  })

  test("does not affect other feeds", () => {
    const clock = makeSimClock()
    const { close, runtime } = makeSimRuntime(clock, Feeds.layer)
    const feeds = Context.get(runtime.context, Feeds)
    const seen = [0, 0]
    const start = (at: number) => {
      const deliver = (): void => {
        seen[at] = (seen[at] ?? 0) + 1
      }
      return feeds.start({ mode: "FIXED", periodMs: 10, maxOverlap: 1, run: Effect.void, deliver })
    }
    const [first] = [start(0), start(1)]
    clock.advance(55)
    first?.stop()
    clock.advance(100)
    expect(seen).toEqual([6, 16])
    close()
  })
})

describe("the overlap limit", () => {
  test("admits a run as soon as one has ended", () => {
    const clock = makeSimClock()
    const { delivered, starts } = open(clock, { mode: "PARALLEL", maxOverlap: 2, run: Effect.sleep(250) })
    clock.advance(1_000)
    expect(starts).toEqual([0, 100, 300, 400, 600, 700, 900, 1_000])
    expect(delivered.filter(({ exit }) => Exit.isFailure(exit)).map(({ seq }) => seq)).toEqual([2, 5, 8])
  })
})

describe("a start that is refused", () => {
  test.each([
    ["FIXED", [0, 100, 200, 300, 400]],
    ["SEQUENTIAL", [0, 100, 200, 300, 400]],
    ["PARALLEL", [0, 100, 200, 300, 400]]
  ] as const)("of %s is delivered as a failed run of its own number, at its time, and begins nothing", (mode, times) => {
    const clock = makeSimClock(0)
    let refused: string | undefined = "no place"
    const { close, delivered, starts } = open(clock, { mode, refusal: () => refused })
    clock.advance(250)
    refused = undefined
    clock.advance(200)
    expect(starts).toEqual([300, 400])
    expect(delivered.map(({ scheduledAtMs }) => scheduledAtMs)).toEqual(times)
    expect(delivered.map(({ exit, seq }) => [seq, Exit.isFailure(exit) ? Cause.squash(exit.cause) : "ran"])).toEqual([
      [0, "no place"],
      [1, "no place"],
      [2, "no place"],
      [3, "ran"],
      [4, "ran"]
    ])
    close()
  })
})
