/** Executors in processes of their own are killed and frozen, and NATS is restarted, while runs are under way: each run ends once, and as it should. */
import { defaultLimits, type Measuring, metricList, Metrics, type PhaseOutcome } from "@sibyl/core"
import { callingProgram, type ProgramCall } from "@sibyl/testing/wasm"
import { Clock, Effect } from "effect"
import { expect, it } from "vitest"
import { eventually } from "./testdata/eventually.ts"
import { startExecutor } from "./testdata/executorProcess.ts"
import { requestFor, run } from "./testdata/inProcess.ts"
import { describeNats, startNats } from "./testdata/natsServer.ts"
import { type Machine, openEdge } from "./testdata/remoteEdge.ts"
import { openSlowUpstream } from "./testdata/slowUpstream.ts"
import { timeless } from "./testdata/timeless.ts"

const [calls, callMs] = [8, 150]

const host = "u.test"
const program = callingProgram(Array.from({ length: calls }, (_, at): ProgramCall => ({ kind: "fetch", url: `https://${host}/${at}` })))

// Every call takes its time: nothing is asked for before the program does.
const request = requestFor(program, { limits: { ...defaultLimits, httpPrefetches: 0 } })

/** NATS, executors of their own processes, and an edge. */
const cluster = (executors: number) =>
  Effect.gen(function* () {
    const nats = yield* startNats()
    const origin = yield* openSlowUpstream(callMs)
    const processes = yield* Effect.all(
      Array.from({ length: executors }, () => startExecutor(nats.url, { workers: 1, places: 64 }, { [host]: origin })),
      { concurrency: "unbounded" }
    )
    const edge = yield* openEdge(nats.url)
    yield* eventually(() => Effect.runSync(edge.readyWorkers ?? Effect.succeed(0)) === executors)
    return { nats, edge, processes }
  })

interface Ended {
  readonly outcome: PhaseOutcome
  readonly atMs: number
}

/** Runs that begin one after the other, and when each has ended. */
const load = (edge: Machine, count: number, betweenMs: number): Effect.Effect<ReadonlyArray<Ended>> =>
  Effect.forEach(
    Array.from({ length: count }, (_, at) => at),
    (at) =>
      Effect.delay(Effect.orDie(edge.run(request)), at * betweenMs).pipe(
        Effect.flatMap((outcome) => Effect.map(Clock.currentTimeMillis, (atMs) => ({ outcome, atMs })))
      ),
    { concurrency: "unbounded" }
  )

/** All ended as the first run of all, which nothing disturbed. */
const expectAll = (ended: ReadonlyArray<Ended>, undisturbed: PhaseOutcome): void => {
  for (const { outcome } of ended) expect(timeless(outcome)).toEqual(timeless(undisturbed))
}

const lastMs = (ended: ReadonlyArray<Ended>): number => Math.max(...ended.map(({ atMs }) => atMs))

/** How long after an event the last of these runs ended, beside its own length. Ten times the stated two seconds are the bound. */
const tellDelay = (what: string, sinceMs: number, ended: ReadonlyArray<Ended>): void => {
  const delayMs = lastMs(ended) - sinceMs - calls * callMs
  process.stdout.write(`${what}: the last affected run ended ${Math.round(delayMs)} ms beside its own length\n`)
  expect(delayMs).toBeLessThan(20_000)
}

describeNats("runs whose executor is lost", () => {
  it("end elsewhere when it is killed, and when it is frozen; what it says after it has thawed changes nothing", () =>
    run(
      Effect.gen(function* () {
        const retries: Array<string> = []
        const counting: Measuring = {
          isOn: true,
          add: (metric, by, ...labels) => void (metric === metricList.executorRetries && retries.push(`${by} ${labels.join()}`)),
          observe: () => {},
          read: () => () => {}
        }
        const { edge, processes } = yield* Effect.provideService(cluster(3), Metrics, counting)
        const undisturbed = yield* Effect.orDie(edge.run(request))
        expect(undisturbed.exitCode).toBe(0)
        expect(retries).toEqual([])
        const [killed, frozen] = processes
        const underWay = yield* Effect.fork(load(edge, 30, 20))
        yield* Effect.sleep(800)
        const killedMs = yield* Clock.currentTimeMillis
        killed?.kill("SIGKILL")
        expectAll(yield* underWay, undisturbed)
        tellDelay("killed", killedMs, yield* underWay)
        expect(retries).toContain("1 lost")
        for (const retry of retries) expect(retry).toMatch(/^1 (?:lost|silent|full)$/)
        const again = yield* Effect.fork(load(edge, 30, 20))
        yield* Effect.sleep(800)
        const frozenMs = yield* Clock.currentTimeMillis
        frozen?.kill("SIGSTOP")
        expectAll(yield* again, undisturbed)
        tellDelay("frozen", frozenMs, yield* again)
        const last = yield* Effect.fork(load(edge, 30, 20))
        yield* Effect.sleep(300)
        frozen?.kill("SIGCONT")
        expectAll(yield* last, undisturbed)
      })
    ))

  it("go on when NATS is restarted", () =>
    run(
      Effect.gen(function* () {
        const { edge, nats } = yield* cluster(2)
        const undisturbed = yield* Effect.orDie(edge.run(request))
        const underWay = yield* Effect.fork(load(edge, 30, 40))
        yield* Effect.sleep(700)
        const stoppedMs = yield* Clock.currentTimeMillis
        yield* nats.stop
        yield* Effect.sleep(300)
        yield* nats.start
        expectAll(yield* underWay, undisturbed)
        tellDelay("NATS restarted", stoppedMs, yield* underWay)
      })
    ))

  it("go on when it stops in order, which ends what it has, or leaves it to others", () =>
    run(
      Effect.gen(function* () {
        const nats = yield* startNats()
        const origin = yield* openSlowUpstream(callMs)
        const options = { workers: 1, places: 64 }
        const patient = yield* startExecutor(nats.url, { ...options, drainMs: 10_000 }, { [host]: origin })
        const hasty = yield* startExecutor(nats.url, { ...options, drainMs: 100 }, { [host]: origin })
        yield* startExecutor(nats.url, options, { [host]: origin })
        const edge = yield* openEdge(nats.url)
        yield* eventually(() => Effect.runSync(edge.readyWorkers ?? Effect.succeed(0)) === 3)
        const undisturbed = yield* Effect.orDie(edge.run(request))
        const underWay = yield* Effect.fork(load(edge, 30, 20))
        yield* Effect.sleep(500)
        patient.kill("SIGTERM")
        hasty.kill("SIGTERM")
        expectAll(yield* underWay, undisturbed)
        yield* Effect.promise(() => Promise.all([patient.ended, hasty.ended]))
      })
    ))
})
