/** The simulation of placement: it loses no run, overfills no executor, and waits as long as queueing theory says where that has an answer. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { fanOut, limits, needs } from "../bench/placement/capacity.mjs"
import { EventQueue } from "../bench/placement/eventQueue.mjs"
import { Executors } from "../bench/placement/executors.mjs"
import type { Policy } from "../bench/placement/policies.mjs"
import { erlangC, meanWaitMs, waitAtMs } from "../bench/placement/queueing.mjs"
import { type Scenario, simulate } from "../bench/placement/simulate.mjs"

const policy = fc.constantFrom<Policy>("random", "groupThenFree", "twoChoices", "twoByFree", "mostFree")

const scenarios: fc.Arbitrary<Scenario> = fc.record({
  seed: fc.nat(),
  executors: fc.integer({ min: 1, max: 12 }),
  slots: fc.integer({ min: 1, max: 4 }),
  edges: fc.integer({ min: 1, max: 3 }),
  service: fc.record({ ms: fc.double({ min: 0.1, max: 60, noNaN: true }), isExponential: fc.boolean() }),
  load: fc.double({ min: 0.05, max: 1.2, noNaN: true }),
  runs: fc.integer({ min: 1, max: 300 }),
  policy,
  frozen: fc.constantFrom(0, 0, 1),
  offersInARow: fc.integer({ min: 1, max: 4 })
})

describe("the simulation of placement", () => {
  it("ends or refuses every run once, never fills an executor beyond its slots, and leaves none busy", () => {
    fc.assert(
      fc.property(scenarios, (scenario) => {
        const { busyAtEnd, ended, full, mostBusy, offers, refused, silent, submitted } = simulate(scenario)
        expect(submitted).toBe(scenario.runs)
        expect(ended + refused).toBe(submitted)
        expect(offers).toBe(ended + full + silent)
        expect(mostBusy).toBeLessThanOrEqual(scenario.slots)
        expect(busyAtEnd).toBe(0)
      })
    )
  })

  it("gives the same answer to the same seed, and other ones to other seeds", () => {
    const scenario: Scenario = {
      seed: 1,
      executors: 5,
      slots: 2,
      edges: 2,
      service: { ms: 10 },
      load: 0.8,
      runs: 500,
      policy: "twoChoices"
    }
    expect(simulate(scenario)).toEqual(simulate(scenario))
    expect(simulate({ ...scenario, seed: 2 }).meanMs).not.toBe(simulate(scenario).meanMs)
  })

  it.each([
    [1, 0.5, 20_000],
    [4, 0.7, 80_000],
    [8, 0.7, 80_000]
  ])("waits on average as one queue before %i slots at load %f does (M/M/c)", (slots, load, runs) => {
    const service = { ms: 10, isExponential: true }
    // One executor that is asked again at once is a queue in any order, whose mean wait is that of a queue in order.
    const asked = { executors: 1, edges: 1, hopMs: 0, fullPauseMs: 0.2, offersInARow: 1, patienceMs: 1e9 }
    const { load: real, meanMs } = simulate({ seed: 3, slots, service, load, runs, policy: "random", ...asked })
    expect(Math.abs(real / load - 1)).toBeLessThan(0.02)
    expect(Math.abs(meanMs / meanWaitMs({ slots, load, serviceMs: service.ms }) - 1)).toBeLessThan(0.1)
  })

  it("is never faster than one queue before all slots", () => {
    fc.assert(
      fc.property(fc.nat(1_000), policy, (seed, policy) => {
        const queue = { slots: 8, load: 0.8, serviceMs: 10 }
        const { meanMs } = simulate({
          seed,
          executors: 4,
          slots: 2,
          edges: 2,
          service: { ms: 10, isExponential: true },
          load: 0.8,
          runs: 20_000,
          policy
        })
        expect(meanMs).toBeGreaterThan(meanWaitMs(queue) * 0.8)
      }),
      { numRuns: 8 }
    )
  })

  it("offers nothing directly to an executor that is silent, but a queue group does", () => {
    const frozen = { seed: 5, executors: 4, slots: 8, edges: 2, service: { ms: 5 }, load: 0.3, runs: 4_000, frozen: 1, silentAfterMs: 0 }
    expect(simulate({ ...frozen, policy: "twoChoices" })).toMatchObject({ silent: 0, refused: 0 })
    expect(simulate({ ...frozen, policy: "mostFree" })).toMatchObject({ silent: 0, refused: 0 })
    const group = simulate({ ...frozen, policy: "groupThenFree" })
    expect(group.silent / group.submitted).toBeGreaterThan(0.2)
    expect(group.refused).toBe(0)
  })
})

describe("what an edge believes", () => {
  it("is what the last heartbeat said, with its own runs since, and nothing after a refusal", () => {
    // Phases of 0: heartbeats at 0, 100, 200 ms.
    const executors = new Executors({ executors: 1, slots: 3, edges: 2, beatMs: 100 }, () => 0)
    const believed = (atMs: number) => [executors.believedFree(0, 0, atMs), executors.believedFree(1, 0, atMs)]
    executors.countOwn(0, 0, 10, 1)
    expect(executors.begin(0, 10)).toBe(true)
    expect(believed(20)).toEqual([2, 3])
    expect(believed(110)).toEqual([2, 2])
    executors.countOwn(0, 0, 120, -1)
    executors.end(0, 120)
    expect(believed(130)).toEqual([3, 2])
    executors.noteFull(1, 0, 140)
    expect(believed(150)).toEqual([3, 0])
    expect(believed(210)).toEqual([3, 3])
  })
})

describe("the events", () => {
  it("come out by their moments, whatever order they were added in", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1e6, noNaN: true })), (moments) => {
        const queue = new EventQueue()
        for (const [event, atMs] of moments.entries()) queue.add(atMs, event)
        const taken: Array<number> = []
        while (queue.size > 0) {
          const next = queue.nextMs
          expect(moments[queue.take()]).toBe(next)
          taken.push(next)
        }
        expect(taken).toEqual(moments.toSorted((one, two) => one - two))
      })
    )
  })
})

describe("Erlang's formula", () => {
  it("is the load for one slot, and 2ρ²/(1 + ρ) for two", () => {
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 0.99, noNaN: true }), (load) => {
        expect(erlangC(1, load)).toBeCloseTo(load, 9)
        expect(erlangC(2, load)).toBeCloseTo((2 * load * load) / (1 + load), 9)
      })
    )
    expect(waitAtMs({ slots: 1, load: 0.5, serviceMs: 10 }, 0.5)).toBe(0)
    expect(waitAtMs({ slots: 1, load: 0.5, serviceMs: 10 }, 0.75)).toBeCloseTo(20 * Math.log(2), 9)
  })
})

describe("what a cluster needs", () => {
  const work = { workMs: 50, messages: 3 }

  it("grows with its executors, and the edges that it names carry their runs", () => {
    for (const executors of [1, 10, 100, 1_000]) {
      const cluster = { executors, workers: 2, ...work }
      const { databases, edges, runsPerS } = needs(cluster)
      expect(runsPerS).toBe(executors * 40)
      const [first] = limits({ ...cluster, edges, databases, natsCores: 1_000 })
      expect(first?.runsPerS).toBe(runsPerS)
    }
  })

  it("brings a tick of every feed to every edge once, by leaf nodes or without", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 0, max: 40 }), fc.nat(10_000), (edges, leaves, feeds) => {
        const audience = { subscribers: 1_000_000, feeds, ticksPerS: 1, edges }
        const { deliveredToEdges, hubCores, leafCores } = fanOut({ ...audience, leaves })
        expect(deliveredToEdges).toBe(feeds * edges)
        const direct = fanOut({ ...audience, leaves: 0 }).hubCores
        if (leaves > 0 && leaves <= edges) expect(Math.max(hubCores, leafCores)).toBeLessThanOrEqual(direct)
      })
    )
  })
})
