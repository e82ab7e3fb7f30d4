/** Prefetching: what is sent when, what the program reads, and that nothing is left behind. */
import {
  defaultLimits,
  HttpFetch,
  type Limits,
  type OutboundRequest,
  type OutboundResponse,
  type PhaseRequest,
  type PrefetchUse
} from "@sibyl/core"
import { Deferred, Effect, Exit, Fiber, Layer, TestClock, TestContext } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { terminalEnding } from "../pass/ending.ts"
import { ReadingRoom } from "../http/answerBytes.ts"
import { decodeFetchAction } from "../tape/fetchAction.ts"
import type { FetchAnswer } from "../tape/tape.ts"
import { calling } from "../testdata/calling.ts"
import { requestFor } from "../testdata/runtimeOverHttp.ts"
import { emptyTape } from "../testdata/vectors.ts"
import { fetchOutside } from "./fetchOutside.ts"
import type { DrivenPhase } from "./phaseProgress.ts"
import type { Prefetch } from "./prefetch.ts"
import { type PrefetchedPhase, Prefetching } from "./prefetching.ts"
import { untouched } from "./runStorage.ts"

/** One thing that a program does: a GET of a path, or anything else of a method. */
interface Call {
  readonly path: string
  readonly method?: string
  readonly timeoutMs?: number
  /** What the phase has left for answers at this call. */
  readonly leftBytes?: number
}

const get = (path: string): Call => ({ path })

const actionOf = ({ method = "Get", path, timeoutMs }: Call): Uint8Array =>
  new TextEncoder().encode(
    JSON.stringify({ url: `https://u.test/${path}`, options: { method, headers: {}, body: [], timeout_ms: timeoutMs ?? null } })
  )

const textOf = ({ bytes }: FetchAnswer): string => new TextDecoder().decode(bytes)

const answerOf = (text: string, status = 200): OutboundResponse => {
  const bytes = new TextEncoder().encode(text)
  return { kind: "answered", status, headers: [], bytes, url: "https://u.test/", contentLength: bytes.length }
}

/** An upstream of which is known what it was asked, and what was given up. */
const upstreamOf = (answer: (path: string, request: OutboundRequest) => Effect.Effect<OutboundResponse>) => {
  const asked: Array<string> = []
  const givenUp: Array<string> = []
  const layer = Layer.succeed(HttpFetch, {
    fetch: (request) => {
      const path = request.url.slice("https://u.test/".length)
      asked.push(request.isAhead === true ? `ahead ${path}` : path)
      return Effect.onInterrupt(answer(path, request), () => Effect.sync(() => givenUp.push(path)))
    }
  })
  return { asked, givenUp, layer }
}

const ended = (exitCode: number) => ({
  ending: { ...terminalEnding("exec", { kind: "stackOverflow" }, 1n), exitCode, reason: undefined },
  tape: emptyTape,
  storage: untouched
})

const request = requestFor(new Uint8Array())

/** A program that makes these calls one after the other, and what it read. */
const program =
  (calls: ReadonlyArray<Call>, read: Array<string> = [], exitCode = 0) =>
  (prefetch?: Prefetch) =>
    Effect.gen(function* () {
      prefetch?.start()
      for (const call of calls) {
        const action = actionOf(call)
        const reading = decodeFetchAction(action)
        if (reading.kind !== "request") throw new Error("the action cannot be read")
        const room = { projectId: request.projectId, limits: request.limits, budgetMs: 20_000, leftBytes: call.leftBytes ?? 16_777_216 }
        const answer = prefetch?.fetch({ action, request: reading.request }, room) ?? fetchOutside(reading.request, room)
        read.push(textOf(yield* answer))
      }
      return ended(exitCode)
    })

const echoing = () => upstreamOf((path) => Effect.succeed(answerOf(path)))

/** One run of a phase, for the fiber of the test. */
const around = <E>(
  prefetching: Prefetching,
  over: PhaseRequest,
  drive: (prefetch?: Prefetch) => Effect.Effect<DrivenPhase, E, HttpFetch>
): Effect.Effect<PrefetchedPhase, E, HttpFetch> =>
  Effect.flatMap(HttpFetch, (http) =>
    calling((caller) => prefetching.around(caller, over, (prefetch) => Effect.provideService(drive(prefetch), HttpFetch, http)))
  )

const limited = (limits: Partial<Limits>): PhaseRequest => ({ ...request, limits: { ...defaultLimits, ...limits } })

const run = (
  prefetching: Prefetching,
  upstream: { readonly layer: Layer.Layer<HttpFetch> },
  calls: ReadonlyArray<Call>,
  over: PhaseRequest = request,
  exitCode = 0
): Promise<{ readonly read: ReadonlyArray<string>; readonly use: PrefetchUse | undefined }> => {
  const read: Array<string> = []
  return Effect.runPromise(
    Effect.map(around(prefetching, over, program(calls, read, exitCode)), ({ prefetch }) => ({ read, use: prefetch })).pipe(
      Effect.provide(upstream.layer)
    )
  )
}

describe("a run of a known program and inputs", () => {
  it("makes all the requests of the run before at once, and each call gets its own answer", async () => {
    const prefetching = new Prefetching()
    let count = 0
    const upstream = upstreamOf((path) => Effect.sync(() => answerOf(`${path} ${(count += 1)}`)))
    const calls = [get("a"), get("b"), get("a")]
    expect((await run(prefetching, upstream, calls)).use).toBeUndefined()
    expect(upstream.asked.splice(0)).toEqual(["a", "b", "a"])
    const second = await run(prefetching, upstream, calls)
    expect(upstream.asked).toEqual(["ahead a", "ahead b", "ahead a"])
    expect(second).toEqual({ read: ["a 4", "b 5", "a 6"], use: { requested: 3, used: 3 } })
  })

  it("has as many of them out as the limit says, the next one when the program has taken one", async () => {
    const prefetching = new Prefetching()
    const upstream = echoing()
    const calls = ["a", "b", "c", "d"].map(get)
    await run(prefetching, upstream, calls)
    upstream.asked.length = 0
    let atStart: ReadonlyArray<string> = []
    const drive = (prefetch?: Prefetch) => {
      prefetch?.start()
      atStart = [...upstream.asked]
      return program(calls)(prefetch)
    }
    await Effect.runPromise(Effect.provide(around(prefetching, limited({ httpPrefetches: 2 }), drive), upstream.layer))
    expect(atStart).toEqual(["ahead a", "ahead b"])
    expect(upstream.asked).toEqual(["a", "b", "c", "d"].map((path) => `ahead ${path}`))
  })

  it("prefetches nothing if it is switched off, for another project, for other inputs, in the tally phase", async () => {
    const prefetching = new Prefetching()
    const upstream = echoing()
    const others: ReadonlyArray<PhaseRequest> = [
      limited({ httpPrefetches: 0 }),
      { ...request, projectId: "another" },
      { ...request, args: ["00"] },
      { ...request, phase: "tally" }
    ]
    await run(prefetching, upstream, [get("a")])
    for (const other of others) expect((await run(prefetching, upstream, [get("a")], other)).use).toBeUndefined()
    expect(upstream.asked).toEqual(["a", "a", "a", "a", "a"])
    expect((await run(prefetching, upstream, [get("a")])).use).toEqual({ requested: 1, used: 1 })
  })

  it("drops what is not asked for, and does not ask for it again", async () => {
    const prefetching = new Prefetching()
    const upstream = upstreamOf((path, { isAhead }) => (path === "b" && isAhead === true ? Effect.never : Effect.succeed(answerOf(path))))
    await run(prefetching, upstream, [get("a"), get("b")])
    expect((await run(prefetching, upstream, [get("a")])).use).toEqual({ requested: 2, used: 1 })
    expect(upstream.givenUp).toEqual(["b"])
    expect((await run(prefetching, upstream, [get("a")])).use).toEqual({ requested: 1, used: 1 })
  })

  it("remembers only requests without effect that came back well", async () => {
    const prefetching = new Prefetching()
    const statuses: Readonly<Record<string, number>> = { lost: 404, moved: 304, broken: 500 }
    const upstream = upstreamOf((path) => Effect.succeed(answerOf(path, statuses[path] ?? 200)))
    const calls = ["lost", "moved", "broken"].map(get).concat([
      { path: "head", method: "Head" },
      { path: "o", method: "Options" }
    ])
    await run(prefetching, upstream, calls)
    upstream.asked.length = 0
    await run(prefetching, upstream, calls)
    expect(upstream.asked).toEqual(["ahead moved", "ahead head", "lost", "broken", "o"])
  })

  it("prefetches nothing that comes after a call which may change something", async () => {
    const prefetching = new Prefetching()
    const upstream = echoing()
    const calls = [get("a"), { path: "b", method: "Post" }, get("c")]
    await run(prefetching, upstream, calls)
    upstream.asked.length = 0
    await run(prefetching, upstream, calls)
    expect(upstream.asked).toEqual(["ahead a", "b", "c"])
  })

  it("asks again after such a call for what was asked for before it", async () => {
    const prefetching = new Prefetching()
    const upstream = echoing()
    await run(prefetching, upstream, [get("a"), get("b")])
    upstream.asked.length = 0
    await run(prefetching, upstream, [get("a"), { path: "c", method: "Put" }, get("b")])
    expect(upstream.asked).toEqual(["ahead a", "ahead b", "c", "b"])
  })

  it("learns nothing new from a run that failed", async () => {
    const prefetching = new Prefetching()
    const upstream = echoing()
    await run(prefetching, upstream, [get("a")], request, 1)
    expect((await run(prefetching, upstream, [get("a")], request, 1)).use).toBeUndefined()
  })
})

describe("what the program is told", () => {
  it("is never the failure of a prefetched request: the request is made again", async () => {
    const bad: ReadonlyArray<Effect.Effect<OutboundResponse>> = [
      Effect.succeed(answerOf("too many requests at once", 429)),
      Effect.succeed({ kind: "rejected", message: "refused", timedOut: false }),
      Effect.die(new Error("broken"))
    ]
    for (const answer of bad) {
      const prefetching = new Prefetching()
      const upstream = upstreamOf((path, { isAhead }) => (isAhead === true ? answer : Effect.succeed(answerOf(path))))
      await run(prefetching, upstream, [get("a")])
      expect(await run(prefetching, upstream, [get("a")])).toEqual({ read: ["a"], use: { requested: 1, used: 0 } })
      expect(upstream.asked).toEqual(["a", "ahead a", "a"])
    }
  })

  it("is refused under the room that is left at its call", async () => {
    const prefetching = new Prefetching()
    const limits: Array<number> = []
    const upstream = upstreamOf((path, { maxResponseBytes }) => {
      limits.push(maxResponseBytes)
      return Effect.succeed(answerOf(path))
    })
    await run(prefetching, upstream, [get("abc")])
    await run(prefetching, upstream, [{ path: "abc", leftBytes: 2 }])
    expect(limits).toEqual([1_048_576, 32_768, 2])
  })

  const timed = <A>(effect: Effect.Effect<A>): Promise<A> => Effect.runPromise(Effect.provide(effect, TestContext.TestContext))

  it("comes as late as the call may take and no later, however early the request was made", () =>
    timed(
      Effect.gen(function* () {
        const prefetching = new Prefetching()
        const upstream = upstreamOf((path, { isAhead }) => (isAhead === true ? Effect.never : Effect.succeed(answerOf(path))))
        const read: Array<string> = []
        const twice = around(prefetching, request, program([{ path: "a", timeoutMs: 700 }])).pipe(
          Effect.zipRight(around(prefetching, request, program([{ path: "a", timeoutMs: 700 }], read))),
          Effect.provide(upstream.layer)
        )
        const running = yield* Effect.fork(twice)
        yield* TestClock.adjust(699)
        expect(read).toEqual([])
        yield* TestClock.adjust(1)
        yield* Fiber.join(running)
        expect(read).toEqual(["HTTP fetch time limit exceeded (700ms)"])
        expect(upstream.givenUp).toEqual(["a"])
      })
    ))

  it("is requested again within the time limit of the call if the prefetched request fails meanwhile", () =>
    timed(
      Effect.gen(function* () {
        const prefetching = new Prefetching()
        const times: Array<number> = []
        const upstream = upstreamOf((path, { isAhead, timeoutMs }) => {
          times.push(timeoutMs)
          const refusal: OutboundResponse = { kind: "rejected", message: "reset", timedOut: false }
          return isAhead === true ? Effect.delay(Effect.succeed(refusal), 600) : Effect.succeed(answerOf(path))
        })
        const once = around(prefetching, request, program([get("a")])).pipe(Effect.provide(upstream.layer))
        yield* once
        const running = yield* Effect.fork(once)
        yield* TestClock.adjust(600)
        yield* Fiber.join(running)
        expect(times).toEqual([2_000, 20_000, 1_400])
      })
    ))

  it("is no answer that waited for its call for longer than a request may take", () =>
    timed(
      Effect.gen(function* () {
        for (const [waitMs, again] of [
          [2_000, false],
          [2_001, true]
        ] as const) {
          const prefetching = new Prefetching()
          const upstream = echoing()
          yield* around(prefetching, request, program([get("a")])).pipe(Effect.provide(upstream.layer))
          upstream.asked.length = 0
          const slow = (prefetch?: Prefetch) => {
            prefetch?.start()
            return Effect.zipRight(Effect.sleep(waitMs), program([get("a")])(prefetch))
          }
          const running = yield* Effect.fork(Effect.provide(around(prefetching, request, slow), upstream.layer))
          yield* TestClock.adjust(waitMs)
          yield* Fiber.join(running)
          expect(upstream.asked).toEqual(again ? ["ahead a", "a"] : ["ahead a"])
        }
      })
    ))

  it("is the same with and without prefetching, whatever programs do and upstreams answer", async () => {
    const call = fc.record({
      path: fc.constantFrom("a", "b", "c?200", "gone?404", "down"),
      method: fc.constantFrom("Get", "Get", "Get", "Get", "Post")
    })
    const runs = fc.array(fc.array(call, { maxLength: 8 }), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(runs, fc.integer({ min: 1, max: 4 }), async (all, httpPrefetches) => {
        const upstream = upstreamOf((path) =>
          Effect.succeed(
            path === "down"
              ? { kind: "rejected", message: "down", timedOut: false }
              : answerOf(`answer of ${path}`, path.endsWith("404") ? 404 : 200)
          )
        )
        const prefetching = new Prefetching()
        for (const calls of all) {
          const ahead = await run(prefetching, upstream, calls, limited({ httpPrefetches }))
          const asCalled = await run(prefetching, upstream, calls, limited({ httpPrefetches: 0 }))
          expect(ahead.read).toEqual(asCalled.read)
        }
      })
    )
  })
})

describe("a run that ends", () => {
  it("ends the requests under way with it, whatever ends it, and gives back their room", async () => {
    const room = new ReadingRoom(100_000, 100_000)
    const prefetching = new Prefetching(room)
    const isWaiting = await Effect.runPromise(Deferred.make<void>())
    let slow = false
    const upstream = upstreamOf((path) => (slow ? Effect.never : Effect.succeed(answerOf(path))))
    const calls = [get("a"), get("b")]
    const ends: ReadonlyArray<(prefetch?: Prefetch) => Effect.Effect<ReturnType<typeof ended>, string>> = [
      () => Effect.succeed(ended(0)),
      () => Effect.fail("refused"),
      () => Effect.die(new Error("a defect")),
      () => Effect.zipRight(Deferred.succeed(isWaiting, undefined), Effect.never)
    ]
    for (const end of ends) {
      slow = false
      await run(prefetching, upstream, calls)
      await run(prefetching, upstream, calls)
      slow = true
      upstream.givenUp.length = 0
      const drive = (prefetch?: Prefetch) => {
        prefetch?.start()
        expect(room.take("another", 100_000)).toBe(false)
        return end(prefetch)
      }
      const running = Effect.runFork(Effect.provide(around(prefetching, request, drive), upstream.layer))
      if (end === ends.at(-1)) {
        await Effect.runPromise(Deferred.await(isWaiting))
        await Effect.runPromise(Fiber.interrupt(running))
      }
      const exit = await Effect.runPromise(Fiber.await(running))
      expect(Exit.isSuccess(exit)).toBe(end === ends[0])
      expect(upstream.givenUp.toSorted()).toEqual(["a", "b"])
      expect(room.take("another", 100_000)).toBe(true)
      room.give("another", 100_000)
    }
  })

  it("prefetches what there is memory for, and the rest is requested as usual", async () => {
    const prefetching = new Prefetching(new ReadingRoom(80_000, 80_000))
    const upstream = echoing()
    const calls = ["a", "b", "c"].map(get)
    await run(prefetching, upstream, calls)
    upstream.asked.length = 0
    let atStart: ReadonlyArray<string> = []
    const drive = (prefetch?: Prefetch) => {
      prefetch?.start()
      atStart = [...upstream.asked]
      return program(calls)(prefetch)
    }
    await Effect.runPromise(Effect.provide(around(prefetching, request, drive), upstream.layer))
    expect(atStart).toEqual(["ahead a", "ahead b"])
    expect(upstream.asked).toEqual(["ahead a", "ahead b", "ahead c"])
  })
})
