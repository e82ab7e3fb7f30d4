/** Runs on executors against runs in one process; throughput by executors; what a lost executor costs. */
import { loadavg } from "node:os"
import { performance } from "node:perf_hooks"
import { startNats, whyNoNats } from "@sibyl/testing"
import { Effect } from "effect"
import { openEcho, openEdge, openLocal, openUpstream, processorMs, requestOf, startExecutor } from "./parts.mjs"

const median = (list) => list.toSorted((one, two) => one - two)[Math.floor(list.length / 2)]

const rounded = (value, digits = 2) => Number(value.toFixed(digits))

const timed = (machine, request) =>
  Effect.suspend(() => {
    const beginMs = performance.now()
    return Effect.map(Effect.orDie(machine.run(request)), () => performance.now() - beginMs)
  })

const warm = (machine, request, runs = 300) => Effect.replicateEffect(timed(machine, request), runs, { concurrency: 64, discard: true })

/** Runs one after the other on each of them, in turns, so that what else the machine does meets all: medians in ms. */
const inTurns = (machines, request, runs) =>
  Effect.gen(function* () {
    const tookMs = machines.map(() => [])
    for (let at = 0; at < runs + 50; at += 1) {
      for (const [place, machine] of machines.entries()) {
        const ms = yield* timed(machine, request)
        if (at >= 50) tookMs[place].push(ms)
      }
    }
    return tookMs.map(median)
  })

const overheads = Effect.scoped(
  Effect.gen(function* () {
    const { url } = yield* startNats()
    const origin = yield* openUpstream(0)
    yield* startExecutor(url, origin)
    const machines = [yield* openEdge(url, 1), yield* openLocal(origin), yield* openEcho(url)]
    // As in a server that has worked for a while: before, most of this code is interpreted.
    for (const machine of machines) yield* warm(machine, requestOf(0), 10_000)
    const [remoteMs, hereMs, echoMs] = yield* inTurns(machines, requestOf(0), 1_000)
    const [fetchingMs, fetchingHereMs] = yield* inTurns(machines.slice(0, 2), requestOf(4), 200)
    return [
      { id: "C1", what: "run without requests, in this process, p50", value: rounded(hereMs), unit: "ms" },
      { id: "C2", what: "the same on an executor, p50", value: rounded(remoteMs), unit: "ms" },
      { id: "C2.1", what: "a bare request over NATS that another process sends back, p50", value: rounded(echoMs), unit: "ms" },
      {
        id: "C3",
        what: "overhead of an executor, p50",
        value: rounded(remoteMs - hereMs),
        unit: "ms",
        reach: 0.5,
        atMost: true
      },
      { id: "C4", what: "overhead with four entries on the tape, p50", value: rounded(fetchingMs - fetchingHereMs), unit: "ms" }
    ]
  })
)

const seconds = 4

/** Runs of 64 callers for some seconds: how many a second. */
const loaded = (machine, request) =>
  Effect.gen(function* () {
    let count = 0
    const untilMs = performance.now() + seconds * 1_000
    const caller = Effect.whileLoop({
      while: () => performance.now() < untilMs,
      body: () => timed(machine, request),
      step: () => (count += 1)
    })
    yield* Effect.all(
      Array.from({ length: 64 }, () => caller),
      { concurrency: "unbounded", discard: true }
    )
    return count
  })

const edgeUsOf = (before, count) => {
  const { system, user } = process.cpuUsage(before)
  return (user + system) / count
}

/** In this process, with one worker. */
const throughputHere = Effect.scoped(
  Effect.gen(function* () {
    const local = yield* openLocal(yield* openUpstream(0))
    const request = requestOf(0)
    yield* warm(local, request)
    const before = process.cpuUsage()
    const count = yield* loaded(local, request)
    return { perSecond: count / seconds, hereUs: edgeUsOf(before, count) }
  })
)

/** On executors of one worker each, with the processor time of each part for one run. */
const throughput = (executors) =>
  Effect.scoped(
    Effect.gen(function* () {
      const nats = yield* startNats()
      const origin = yield* openUpstream(0)
      const children = yield* Effect.all(
        Array.from({ length: executors }, () => startExecutor(nats.url, origin)),
        { concurrency: "unbounded" }
      )
      const edge = yield* openEdge(nats.url, executors)
      const request = requestOf(0)
      yield* warm(edge, request)
      const before = { edge: process.cpuUsage(), nats: processorMs(nats.pid()), executors: children.map(({ pid }) => processorMs(pid)) }
      const count = yield* loaded(edge, request)
      const spentMs = children.map(({ pid }, at) => processorMs(pid) - before.executors[at])
      return {
        perSecond: count / seconds,
        edgeUs: edgeUsOf(before.edge, count),
        natsUs: ((processorMs(nats.pid()) - before.nats) * 1_000) / count,
        executorUs: (spentMs.reduce((sum, ms) => sum + ms, 0) * 1_000) / count
      }
    })
  )

const [lossFetches, lossMs] = [8, 150]

/** How long after a signal to one of three executors the last of 30 runs ends, beside its own length. */
const loss = (signal) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { url } = yield* startNats()
      const origin = yield* openUpstream(lossMs)
      const [lost] = yield* Effect.all(
        [1, 2, 3].map(() => startExecutor(url, origin)),
        { concurrency: "unbounded" }
      )
      const edge = yield* openEdge(url, 3)
      const request = requestOf(lossFetches)
      yield* timed(edge, request)
      const ends = []
      const runs = Effect.forEach(
        Array.from({ length: 30 }, (_, at) => at),
        (at) =>
          Effect.delay(
            Effect.map(timed(edge, request), () => ends.push(performance.now())),
            at * 10
          ),
        { concurrency: "unbounded" }
      )
      let signalMs = 0
      const fault = Effect.delay(
        Effect.sync(() => {
          signalMs = performance.now()
          lost.kill(signal)
        }),
        700
      )
      yield* Effect.all([runs, fault], { concurrency: "unbounded" })
      return Math.max(...ends) - signalMs - lossFetches * lossMs
    })
  )

/** Runs on executors; nothing without NATS. */
export const executors = async (print) => {
  if (whyNoNats !== undefined) {
    print(`runs on executors are skipped: ${whyNoNats}`)
    return []
  }
  print(
    `load average ${loadavg()
      .map((load) => load.toFixed(1))
      .join(" ")}`
  )
  const rows = await Effect.runPromise(overheads)
  const { hereUs, perSecond: herePerSecond } = await Effect.runPromise(throughputHere)
  const whatHere = `runs a second, 64 callers, in this process (processor time of a run: ${hereUs.toFixed(0)} µs)`
  rows.push({ id: "C5.0", what: whatHere, value: Math.round(herePerSecond), unit: "/s" })
  for (const count of [1, 2, 3]) {
    const { edgeUs, executorUs, natsUs, perSecond } = await Effect.runPromise(throughput(count))
    const parts = `processor time of a run: edge ${edgeUs.toFixed(0)}, NATS ${natsUs.toFixed(0)}, executors ${executorUs.toFixed(0)} µs`
    rows.push({
      id: `C5.${count}`,
      what: `runs a second, 64 callers, ${count} executor processes (${parts})`,
      value: Math.round(perSecond),
      unit: "/s"
    })
  }
  for (const [id, signal] of [
    ["C6", "SIGKILL"],
    ["C7", "SIGSTOP"]
  ]) {
    const lateMs = await Effect.runPromise(loss(signal))
    rows.push({
      id,
      what: `last affected run after ${signal}, beside its own length`,
      value: Math.round(lateMs),
      unit: "ms",
      reach: 2_000,
      atMost: true
    })
  }
  print(
    `load average ${loadavg()
      .map((load) => load.toFixed(1))
      .join(" ")}`
  )
  return rows
}
