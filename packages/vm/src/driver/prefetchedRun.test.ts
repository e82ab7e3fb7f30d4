/** Whole runs with prefetching: in workers, behind the queue, under the wall clock. */
import { defaultLimits, type OutboundRequest, type OutboundResponse } from "@sibyl/core"
import { Deferred, Effect } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { fetchingProgram, getting } from "../testdata/fetchingProgram.ts"
import { openRuntime, requestFor, type TestRuntime } from "../testdata/runtimeOverHttp.ts"
import { moduleNamed } from "../testdata/vectors.ts"

const open: Array<TestRuntime> = []
afterAll(() => Promise.all(open.map((runtime) => runtime.dispose())))

/** A runtime of one worker and what it asked; `answer` is made for each request. */
const opened = (answer: (request: OutboundRequest) => Effect.Effect<void> = () => Effect.void) => {
  const asked: Array<OutboundRequest> = []
  const runtime = openRuntime({ workers: 1, spareWorkers: 0 }, (request) => {
    asked.push(request)
    const { pathname } = new URL(request.url)
    const bytes = new TextEncoder().encode(pathname)
    const response: OutboundResponse = { kind: "answered", status: 200, headers: [], bytes, url: request.url, contentLength: bytes.length }
    return Effect.as(answer(request), response)
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
    expect(second).toEqual({ ...first, prefetch: { requested: 3, used: 3 } })
    expect(asked.map(({ isAhead, url }) => [isAhead, url.slice(-1)])).toEqual([
      [true, "a"],
      [true, "b"],
      [true, "c"]
    ])
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
