/** Callers that hold and post continuously: how much of it the ledger completes in a given time. */
import { Entropy, Ledger, Provisioning } from "@sibyl/core"
import { timeOrderedUuidOf } from "@sibyl/core/internal"
import { sampleReport } from "@sibyl/testing"
import { Effect } from "effect"

const leaseMs = 60_000

/** Projects with enough credits, each with a usage limit, which means more to write. */
export const makeProjects = (count) =>
  Effect.gen(function* () {
    const provisioning = yield* Provisioning
    const projects = []
    for (let at = 0; at < count; at += 1) {
      const usageLimit = { periodMs: 3_600_000, credits: 10n ** 15n }
      const project = yield* provisioning.createProject({ organizationSlug: "bench", usageLimit })
      yield* provisioning.grant(project.projectId, 10n ** 15n)
      projects.push(project)
    }
    return projects
  })

let runs = 0

/** Acknowledged holds and posts per second, by this many callers over the projects, each with a report. */
export const chargesPerSecond = ({ callers, forMs, projects }) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const newId = timeOrderedUuidOf(yield* Effect.provide(Entropy, Entropy.layer))
    const start = performance.now()
    let acknowledged = 0
    const caller = (nth) =>
      Effect.gen(function* () {
        const project = projects[nth % projects.length]
        // Each repeats the same request, as a feed does.
        const like = sampleReport({ projectId: project.projectId, id: "", executedAtMs: 0, total: 60n })
        while (performance.now() - start < forMs) {
          const hold = yield* ledger.hold(project, 100n, leaseMs)
          acknowledged += 1
          runs += 1
          yield* ledger.settle(hold, { ...like, id: yield* newId, executedAtMs: runs })
          acknowledged += 1
        }
      })
    const cpu = process.cpuUsage()
    yield* Effect.forEach(Array.from({ length: callers }).keys(), caller, { concurrency: "unbounded", discard: true })
    const { system, user } = process.cpuUsage(cpu)
    const elapsed = performance.now() - start
    return { perSecond: (acknowledged * 1_000) / elapsed, cpuUs: (system + user) / acknowledged }
  })

/** Runs the cases in turns, so that other load on the machine and its disk affects all of them; returns the medians of the rounds. */
export const inTurns = (rounds, cases) =>
  Effect.gen(function* () {
    const measured = Object.fromEntries(Object.keys(cases).map((name) => [name, []]))
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, one] of Object.entries(cases)) measured[name].push(yield* one)
    }
    const median = (list) => list.toSorted((left, right) => left - right)[Math.floor(list.length / 2)]
    return Object.fromEntries(
      Object.entries(measured).map(([name, list]) => [
        name,
        {
          perSecond: median(list.map(({ perSecond }) => perSecond)),
          cpuUs: median(list.map(({ cpuUs }) => cpuUs))
        }
      ])
    )
  })
