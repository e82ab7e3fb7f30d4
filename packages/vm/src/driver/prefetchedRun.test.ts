/** Whole runs with prefetching: in workers, behind the queue, under the wall clock. */
import { defaultLimits, HttpFetch, type OutboundRequest, type OutboundResponse } from "@sibyl/core"
import { Deferred, Effect, Layer } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import type { PassJob, PassReply } from "../pool/passJob.ts"
import { threadWorkers } from "../workers/openWorker.ts"
import { workerFile } from "../workers/workerFile.ts"
import { WorkerPool } from "../pool/workerPool.ts"
import { calling } from "../testdata/calling.ts"
import { fetchingProgram, getting } from "../testdata/fetchingProgram.ts"
import { openRuntime, requestFor, type TestRuntime } from "../testdata/runtimeOverHttp.ts"
import { emptyTape, moduleNamed } from "../testdata/vectors.ts"
import { drivePhase } from "./drivePhase.ts"
import { type PrefetchedPhase, Prefetching } from "./prefetching.ts"

const open: Array<TestRuntime> = []
afterAll(() => Promise.all(open.map((runtime) => runtime.dispose())))

/** The path of a URL as its answer. */
const answerOf = (url: string): OutboundResponse => {
  const bytes = new TextEncoder().encode(new URL(url).pathname)
  return { kind: "answered", status: 200, headers: [], bytes, url, contentLength: bytes.length }
}

/** A pool of one worker that counts what it was asked for: turns, and passes by the number of their answers ahead. */
class CountingPool extends WorkerPool {
  readonly passes: Array<number | "turn"> = []

  constructor() {
    super({ workers: 1, queueBound: 10, cachedPrograms: 4, openWorker: threadWorkers(workerFile() ?? "") })
  }

  override submit(job: PassJob, reply: (reply: PassReply) => void): () => void {
    this.passes.push(job.isAdmission === true ? "turn" : (job.input.ahead?.length ?? 0))
    return super.submit(job, reply)
  }
}

/** A runtime of one worker and what it asked; `answer` is made for each request. */
const opened = (answer: (request: OutboundRequest) => Effect.Effect<void> = () => Effect.void) => {
  const asked: Array<OutboundRequest> = []
  const runtime = openRuntime({ workers: 1, spareWorkers: 0 }, (request) => {
    asked.push(request)
    return Effect.as(answer(request), answerOf(request.url))
  })
  open.push(runtime)
  return { asked, runtime }
}

const fetching = requestFor(fetchingProgram(["a", "b", "c"].map((path) => getting(`https://u.test/${path}`))))

describe("a run of a known program and inputs", () => {
  it("has all of its requests under way at once, and ends as the run before did", async () => {
    const allAsked = await Effect.runPromise(Deferred.make<void>())
    let known = false
    const { asked, runtime } = opened(() => {
      if (!known) return Effect.void
      if (asked.length === 3) Effect.runSync(Deferred.succeed(allAsked, undefined))
      return Deferred.await(allAsked)
    })
    const first = await runtime.run(fetching)
    expect([first.exitCode, first.prefetch]).toEqual([0, undefined])
    known = true
    asked.length = 0
    const second = await runtime.run(fetching)
    expect(first.hostCalls?.map(({ request }) => request.slice(-1))).toEqual(["a", "b", "c"])
    expect(second).toEqual({ ...first, hostCalls: second.hostCalls, prefetch: { requested: 3, used: 3 } })
    expect(asked.map(({ isAhead, url }) => [isAhead, url.slice(-1)])).toEqual([
      [true, "a"],
      [true, "b"],
      [true, "c"]
    ])
  })

  it("begins its one pass when the answers are there", async () => {
    const pool = new CountingPool()
    const prefetching = new Prefetching()
    const http = Layer.succeed(HttpFetch, { fetch: ({ url }) => Effect.delay(Effect.succeed(answerOf(url)), 5) })
    const run = () =>
      Effect.runPromise(
        calling((caller) =>
          prefetching.around(caller, fetching, (prefetch) => drivePhase({ pool, caller }, fetching, emptyTape, prefetch))
        ).pipe(Effect.provide(http))
      )
    const first = await run()
    const second = await run()
    await pool.close()
    expect(pool.passes).toEqual([0, 0, 0, 0, "turn", 3])
    const timeless = ({ driven: { tape } }: PrefetchedPhase) => tape.entries.map((entry) => ({ ...entry, atMs: 0 }))
    expect(timeless(second)).toEqual(timeless(first))
    expect(second.driven.ending).toEqual(first.driven.ending)
    expect(second.prefetch).toEqual({ requested: 3, used: 3 })
  })

  it("gives no call more time than it has, when awaited answers do not come", async () => {
    let isSilent = false
    const timedOut: OutboundResponse = { kind: "rejected", message: "", timedOut: true }
    const runtime = openRuntime({ workers: 1, spareWorkers: 0 }, ({ timeoutMs, url }) =>
      isSilent ? Effect.delay(Effect.succeed(timedOut), timeoutMs) : Effect.succeed(answerOf(url))
    )
    open.push(runtime)
    const limits = { ...defaultLimits, httpRequestTimeoutMs: 400, httpRunBudgetMs: 1_000 }
    /** Of a run whose second call ran out of its own time. A busy machine may end it late, by when the run's is over; then another is made. */
    const inTime = async (httpPrefetches: number): Promise<Awaited<ReturnType<TestRuntime["run"]>>> => {
      for (let tries = 1; ; tries += 1) {
        isSilent = false
        expect((await runtime.run({ ...fetching, limits })).exitCode).toBe(0)
        isSilent = true
        const outcome = await runtime.run({ ...fetching, limits: { ...limits, httpPrefetches } })
        const [, second] = outcome.hostCalls ?? []
        if (tries === 20 || (second?.answeredAfterMs ?? 0) < limits.httpRunBudgetMs) return outcome
      }
    }
    const asCalled = await inTime(0)
    const outcome = await inTime(limits.httpPrefetches)
    // Its gas tells which of the calls ran out of their own time, and which out of the run's.
    expect(outcome).toEqual({ ...asCalled, hostCalls: outcome.hostCalls, prefetch: { requested: 3, used: 0 } })
  })

  it("asks nobody for anything before a worker has it, nor when none takes it", async () => {
    const { asked, runtime } = opened()
    await runtime.run(fetching)
    asked.length = 0
    const endless = requestFor(moduleNamed("infinite_loop"), {
      gasLimit: 2n ** 64n - 1n,
      limits: { ...defaultLimits, execWallClockMs: 500 }
    })
    const busy = runtime.run(endless)
    const refused = runtime.run({ ...fetching, limits: { ...defaultLimits, queueWaitMs: 50 } })
    await expect(refused).rejects.toThrow(/no worker was free/)
    expect(asked).toEqual([])
    await busy
    expect((await runtime.run(fetching)).prefetch).toEqual({ requested: 3, used: 3 })
  })

  it("ends at its wall clock whatever was prefetched, and no request is left", async () => {
    let isSlow = false
    const underWay = new Set<string>()
    const { runtime } = opened(({ url }) => {
      if (!isSlow) return Effect.void
      underWay.add(url)
      return Effect.onInterrupt(Effect.never, () => Effect.sync(() => underWay.delete(url)))
    })
    await runtime.run(fetching)
    isSlow = true
    const outcome = await runtime.run({ ...fetching, limits: { ...defaultLimits, execWallClockMs: 300 } })
    expect([outcome.reason, outcome.prefetch]).toEqual(["Execution time limit exceeded (300ms)", { requested: 3, used: 0 }])
    expect([...underWay]).toEqual([])
  })
})
