/** Runs on executors over a real NATS server end as they do in this process, and what executors ask is answered. */
import {
  defaultLimits,
  type OutboundRequest,
  type OutboundResponse,
  type PhaseRequest,
  type RecordedTape,
  type StorageView
} from "@sibyl/core"
import { fromBase64, fromHex } from "@sibyl/core/internal"
import { callingProgram } from "@sibyl/testing/wasm"
import { Replayer } from "@sibyl/vm"
import { Context, Effect, Exit, Layer } from "effect"
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { NatsConnection } from "./connection/natsConnection.ts"
import { eventually } from "./testdata/eventually.ts"
import { echo, fetching, openExecutor, ready, requestFor, run } from "./testdata/inProcess.ts"
import { describeNats, startNats } from "./testdata/natsServer.ts"
import { openEdge, openLocal } from "./testdata/remoteEdge.ts"
import { timeless } from "./testdata/timeless.ts"

interface GoldenCase {
  readonly name: string
  readonly wasm: { readonly wat?: string; readonly hex?: string }
  readonly args: ReadonlyArray<string>
  readonly envs: Readonly<Record<string, string>> | ReadonlyArray<readonly [string, string]>
  readonly gasLimit?: string
}

/** On Bun, a memory that grows can take ten seconds where many other tests ran before: here, outcomes are compared, not times. */
const patientLimits = { ...defaultLimits, execWallClockMs: 110_000, tallyWallClockMs: 110_000 }

/** Asked again until there is a place: behind a run of ten seconds, one waits longer than it may. */
const onceFree = <A, E extends { readonly _tag: string }, R>(run: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(run, { while: ({ _tag }) => _tag === "Overloaded", times: 20 })

/** The golden cases of both phases, read as they lie. */
const goldenRequests = (): ReadonlyArray<readonly [string, PhaseRequest]> => {
  const read = (name: string): unknown => JSON.parse(readFileSync(new URL(`../../vm/src/testdata/${name}`, import.meta.url), "utf8"))
  const tally = read("vm-tally.json") as { readonly cases: ReadonlyArray<GoldenCase>; readonly modules: Readonly<Record<string, string>> }
  const of =
    (phase: "exec" | "tally") =>
    ({ args, envs, gasLimit, name, wasm }: GoldenCase): readonly [string, PhaseRequest] => {
      const program = (wasm.wat === undefined ? fromHex(wasm.hex ?? "") : fromBase64(tally.modules[wasm.wat] ?? "")) ?? new Uint8Array()
      const pairs = Array.isArray(envs)
        ? (envs as ReadonlyArray<readonly [string, string]>)
        : Object.entries(envs as Record<string, string>)
      return [
        name,
        requestFor(program, {
          limits: patientLimits,
          phase,
          args,
          envs: pairs,
          gasLimit: gasLimit === undefined ? 2n ** 64n - 1n : BigInt(gasLimit)
        })
      ]
    }
  return [...tally.cases.map(of("tally")), ...(read("vm-exec.json") as ReadonlyArray<GoldenCase>).map(of("exec"))]
}

/** The text of a tape that is not too large. */
const textOf = (tape: RecordedTape | undefined): string => (typeof tape === "string" ? tape : "")

/** An edge that has heard of its only executor, whose programs reach this upstream. */
const edgeOverExecutor = (upstream = echo) =>
  Effect.gen(function* () {
    const { url } = yield* startNats()
    yield* openExecutor(url, {}, upstream)
    const edge = yield* openEdge(url)
    yield* ready(edge)
    return edge
  })

describeNats("runs on an executor", () => {
  it(
    "have the outcomes that they have in this process: the golden cases of both phases",
    () =>
      run(
        Effect.gen(function* () {
          const { url } = yield* startNats()
          yield* openExecutor(url)
          const [edge, local] = [yield* openEdge(url), yield* openLocal(echo)]
          yield* ready(edge)
          const golden = goldenRequests()
          expect(golden.length).toBeGreaterThan(100)
          yield* Effect.forEach(
            golden,
            ([name, request]) =>
              Effect.map(Effect.all([onceFree(edge.run(request)), onceFree(local.run(request))]), ([remote, here]) => {
                expect(timeless(remote), name).toEqual(timeless(here))
              }),
            { concurrency: 4, discard: true }
          )
        })
      ),
    240_000
  )

  it("are recorded where they ran: on their tapes they end as they did", () =>
    run(
      Effect.gen(function* () {
        const edge = yield* edgeOverExecutor()
        const { replay } = Context.get(yield* Layer.build(Replayer.layer({ workers: 1 })), Replayer)
        const stored = { read: () => Effect.succeed<StorageView>({ values: new Map([["01", "aabb"]]), keyCount: 1 }) }
        const program = callingProgram([
          { kind: "fetch", url: "https://u.test/1" },
          { kind: "write", key: "02", value: "cc" },
          { kind: "fetch", url: "https://u.test/2" }
        ])
        const request = requestFor(program, { storage: stored })
        expect(yield* edge.run(request)).not.toHaveProperty("tape")
        const {
          hostCalls: _hostCalls,
          prefetch: _prefetch,
          storage: _storage,
          tape,
          ...outcome
        } = yield* edge.run({
          ...request,
          isRecorded: true
        })
        expect(tape).toMatch(/"fetch".*"storage".*"fetch"/)
        expect(yield* replay(request, textOf(tape))).toEqual(outcome)
      })
    ))

  it("have tapes that are larger than a message of NATS, and no more than the size of one that is too large", () =>
    run(
      Effect.gen(function* () {
        const megabyte = new Uint8Array(1_000_000).fill(0xff)
        const large = ({ url: asked }: OutboundRequest) =>
          Effect.succeed<OutboundResponse>({
            kind: "answered",
            status: 200,
            headers: [],
            bytes: megabyte,
            url: asked,
            contentLength: megabyte.length
          })
        const edge = yield* edgeOverExecutor(large)
        // No more than that: the executor shares this process, and looks dead if it works at one thing for 800 ms.
        const request = { ...requestFor(fetching(3)), isRecorded: true }
        const whole = yield* edge.run({ ...request, limits: { ...defaultLimits, recordingBytes: 20_000_000 } })
        expect(textOf(whole.tape).length).toBeGreaterThan(3_000_000)
        const { tape } = yield* edge.run(request)
        expect(tape).toMatchObject({ bytes: expect.any(Number) })
      })
    ))

  it("read and change the storage of their program, which the edge has", () =>
    run(
      Effect.gen(function* () {
        const edge = yield* edgeOverExecutor()
        const asked: Array<ReadonlyArray<string>> = []
        const read = (keys: ReadonlyArray<string>) =>
          Effect.sync((): StorageView => {
            asked.push(keys)
            return { values: new Map([["01", "aabb"]]), keyCount: 1 }
          })
        const program = callingProgram([
          { kind: "write", key: "02", value: "cc" },
          { kind: "delete", key: "01" },
          { kind: "delete", key: "03" }
        ])
        const outcome = yield* edge.run(requestFor(program, { storage: { read } }))
        expect([outcome.exitCode, outcome.storage]).toEqual([
          0,
          [
            { key: "02", value: "cc" },
            { key: "01", value: null }
          ]
        ])
        expect(asked).toEqual([["02"], ["01"], ["03"]])
        const failing = { read: () => Effect.die(new Error("the store is away")) }
        const failed = yield* Effect.exit(edge.run(requestFor(program, { storage: failing })))
        expect(Exit.isFailure(failed) && String(failed.cause)).toContain("the store is away")
      })
    ))

  it("are refused when nobody is there, and when all are full, and run as soon as one is free", () =>
    run(
      Effect.gen(function* () {
        const { url } = yield* startNats()
        const edge = yield* openEdge(url)
        const impatient = { ...defaultLimits, queueWaitMs: 300 }
        expect(yield* edge.readyWorkers ?? Effect.succeed(-1)).toBe(0)
        const nobody = yield* Effect.flip(edge.run(requestFor(fetching(1), { limits: impatient })))
        expect(nobody._tag).toBe("Overloaded")
        const slow = (request: OutboundRequest) => Effect.delay(echo(request), 1_000)
        yield* openExecutor(url, { places: 1 }, slow)
        yield* ready(edge)
        const [first, full, waited] = yield* Effect.all(
          [
            edge.run(requestFor(fetching(1))),
            Effect.delay(Effect.flip(edge.run(requestFor(fetching(1), { limits: impatient }))), 300),
            Effect.delay(edge.run(requestFor(fetching(1))), 300)
          ],
          { concurrency: "unbounded" }
        )
        expect([first.exitCode, full._tag, waited.exitCode]).toEqual([0, "Overloaded", 0])
      })
    ))

  it("are given up by the executor when nobody waits for them any more, and when their edge is gone", () =>
    run(
      Effect.gen(function* () {
        const { url } = yield* startNats()
        const executor = yield* openExecutor(url, {}, () => Effect.never)
        const edge = yield* openEdge(url)
        yield* ready(edge)
        const request = requestFor(fetching(1), { limits: { ...defaultLimits, httpPrefetches: 0 } })
        yield* Effect.timeoutOption(edge.run(request), 1_000)
        yield* eventually(() => executor.running() === 0)
        yield* Effect.scoped(
          Effect.gen(function* () {
            const other = yield* openEdge(url)
            yield* ready(other)
            yield* Effect.forkDaemon(other.run(request))
            yield* eventually(() => executor.running() === 1)
          })
        )
        yield* eventually(() => executor.running() === 0)
        expect(executor.garbageMessages()).toBe(0)
      })
    ))

  it("are divided among as many executors as there are replicas, and refused where there are fewer", () =>
    run(
      Effect.gen(function* () {
        const { url } = yield* startNats()
        const asked: Array<number> = []
        const counted = (at: number) => (request: OutboundRequest) =>
          Effect.suspend(() => (asked.push(at), Effect.delay(echo(request), 50)))
        for (const at of [0, 1, 2]) yield* openExecutor(url, {}, counted(at))
        const edge = yield* openEdge(url)
        yield* ready(edge, 3)
        const replicated = (executors: number) => {
          const limits = { ...defaultLimits, httpPrefetches: 0, queueWaitMs: 500 }
          const request = requestFor(fetching(1), { limits, replication: { runId: `run-${executors}`, executors } })
          return Effect.replicateEffect(edge.run(request), executors, { concurrency: "unbounded" })
        }
        expect((yield* replicated(3)).map(({ exitCode }) => exitCode)).toEqual([0, 0, 0])
        expect(asked.toSorted((one, two) => one - two)).toEqual([0, 1, 2])
        expect((yield* Effect.flip(replicated(4)))._tag).toBe("Overloaded")
      })
    ))

  it("are not harmed by messages of other versions, nor by garbage", () =>
    run(
      Effect.gen(function* () {
        const { url } = yield* startNats()
        const executor = yield* openExecutor(url)
        const edge = yield* openEdge(url)
        yield* ready(edge)
        const stranger = yield* Effect.map(Layer.build(NatsConnection.layer({ servers: [url] })), (context) =>
          Context.get(context, NatsConnection)
        )
        const heard: Array<Uint8Array> = []
        yield* stranger.subscribe("heard", ({ data }) => heard.push(data))
        const subjects = ["sibyl.run.default", `sibyl.run.default.at.${executor.id}`, `sibyl.alive.${executor.id}`, "sibyl.beat.default"]
        for (const subject of subjects) {
          for (const data of [[], [1], [1, 0, 0xc1], [1, 1, 2], [0, 1], [99, 0, 1]])
            stranger.publish(subject, Uint8Array.from(data), "heard")
        }
        yield* stranger.flushed
        expect((yield* edge.run(requestFor(fetching(1)))).exitCode).toBe(0)
        expect(executor.garbageMessages()).toBeGreaterThan(9)
        // Each of them says which versions it understands; the edge, on the subject of beats, does so, too.
        expect(heard.map((data) => new TextDecoder().decode(data.subarray(1)))).toEqual(Array.from({ length: 4 }, () => '{"versions":[1]}'))
      })
    ))
})
