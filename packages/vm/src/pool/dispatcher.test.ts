/** What a project is guaranteed at the pool, whatever the others bring: generated floods, in model time. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { judgePool } from "../testdata/poolJudge.ts"
import { simulatePool, type PoolEvent, type SimulatedPool, type SimulatedRun } from "../testdata/simulatedPool.ts"
import { recallAfterMs, stuckAfterMs } from "./dispatcher.ts"

const deadlineMs = 2_000

/** From immediate to beyond the deadline. */
const passMs = fc.oneof(
  { weight: 6, arbitrary: fc.nat(3) },
  { weight: 3, arbitrary: fc.nat(60) },
  { weight: 2, arbitrary: fc.nat(deadlineMs) },
  { weight: 1, arbitrary: fc.constant(deadlineMs + 1) }
)

type Run = Omit<SimulatedRun, "projectId">

const run: fc.Arbitrary<Run> = fc.record(
  {
    atMs: fc.nat(3_000),
    passesMs: fc.array(passMs, { minLength: 1, maxLength: 8 }),
    // What is expected may be wrong by any factor.
    expectedMs: fc.constantFrom(0.1, 0.3, 1, 5, 100),
    callMs: fc.nat(40),
    leavesAfterMs: fc.nat(2_000)
  },
  { requiredKeys: ["atMs", "passesMs", "callMs"] }
)

/** Runs of one kind, all at once or one after the other. */
const flood = fc
  .tuple(run, fc.integer({ min: 1, max: 60 }), fc.constantFrom(0, 1, 20))
  .map(([first, count, everyMs]) => Array.from({ length: count }, (_, at) => ({ ...first, atMs: first.atMs + at * everyMs })))

/** What several projects bring. */
const projects = fc
  .array(fc.oneof(flood, fc.array(run, { minLength: 1, maxLength: 6 })), { minLength: 1, maxLength: 6 })
  .map((all) => all.flatMap((runs, at) => runs.map((one): SimulatedRun => ({ ...one, projectId: `project ${at}` }))))

const poolWith = (spareWorkers: fc.Arbitrary<number>): fc.Arbitrary<SimulatedPool> =>
  fc.record({
    workers: fc.integer({ min: 1, max: 4 }),
    spareWorkers,
    startMs: fc.integer({ min: 1, max: 80 }),
    deadlineMs: fc.constant(deadlineMs)
  })

const countOf = (runs: ReadonlyArray<SimulatedRun>): number => new Set(runs.map(({ projectId }) => projectId)).size

describe("a project that waits and has no worker", () => {
  it("is overtaken by each other one at most once, and while that has none; nobody is lost, no worker is idle", () => {
    fc.assert(
      fc.property(poolWith(fc.nat(6)), projects, (pool, runs) => {
        expect(judgePool(pool, simulatePool(pool, runs)).faults).toEqual([])
      }),
      { numRuns: 400 }
    )
  })

  it("waits for one pass of itself and each other one, as long as passes may be and workers take to start", () => {
    fc.assert(
      fc.property(poolWith(fc.nat(6)), projects, (pool, runs) => {
        const { longestWaitMs } = judgePool(pool, simulatePool(pool, runs))
        expect(longestWaitMs).toBeLessThanOrEqual(countOf(runs) * (deadlineMs + pool.startMs + recallAfterMs))
      }),
      { numRuns: 200 }
    )
  })

  it("waits until workers are stuck and a spare one has started, once for itself and for each other one, where there are enough", () => {
    fc.assert(
      fc.property(poolWith(fc.constant(6)), projects, (pool, runs) => {
        const { longestWaitMs } = judgePool(pool, simulatePool(pool, runs))
        expect(longestWaitMs).toBeLessThanOrEqual(countOf(runs) * (stuckAfterMs + pool.startMs + recallAfterMs))
      }),
      { numRuns: 200 }
    )
  })

  it("is not behind one that floods it with a thousand runs of many long passes", () => {
    const pool = { workers: 2, spareWorkers: 0, startMs: 30, deadlineMs }
    const greedy = Array.from({ length: 1_000 }, () => ({ projectId: "greedy", atMs: 0, passesMs: [100, 100, 100], callMs: 1 }))
    const small = Array.from({ length: 50 }, (_, at) => ({ projectId: "small", atMs: 1_000 + 997 * at, passesMs: [1, 1, 1], callMs: 20 }))
    const { faults, longestWaitMs } = judgePool(pool, simulatePool(pool, [...greedy, ...small]))
    expect(faults).toEqual([])
    expect(longestWaitMs).toBeLessThanOrEqual(100)
  })
})

describe("the judge", () => {
  const pass = (projectId: string) => ({ projectId, first: true, takesMs: 10, expectedMs: Infinity })
  const [a, b, other] = [pass("greedy"), pass("greedy"), pass("small")]
  const waits = [a, b, other].map((each): PoolEvent => ({ kind: "waits", pass: each, atMs: 0 }))

  it("sees that one is served twice before another, or gets a second worker", () => {
    const up = [0, 1].map((place): PoolEvent => ({ kind: "up", place, atMs: 1 }))
    const given = [a, b, other].map((each, at): PoolEvent => ({ kind: "given", pass: each, place: at % 2, atMs: 1 + at }))
    expect(judgePool({ workers: 2 }, [...waits, ...up, ...given]).faults).toEqual([
      "1: worker 1 is idle while passes wait",
      "2: greedy is given another worker while small has none",
      "2: greedy is served twice before small",
      "3: small is given worker 0, which is not idle",
      "greedy was left with 0 waiting and 2 running",
      "small was left with 0 waiting and 1 running"
    ])
  })

  it("sees an idle worker, and how long somebody waited", () => {
    const events: ReadonlyArray<PoolEvent> = [
      { kind: "up", place: 0, atMs: 0 },
      { kind: "waits", pass: other, atMs: 5 },
      { kind: "given", pass: other, place: 0, atMs: 25 },
      { kind: "over", pass: other, place: 0, atMs: 35 }
    ]
    expect(judgePool({ workers: 1 }, events)).toEqual({ longestWaitMs: 20, faults: ["5: worker 0 is idle while passes wait"] })
  })
})
