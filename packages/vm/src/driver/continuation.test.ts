/** A phase that is continued from any prefix of its tape, on another pool, ends as the uninterrupted one did. */
import { HttpFetch, type OutboundRequest, type PhaseRequest, type StorageView } from "@sibyl/core"
import { soakCount } from "@sibyl/testing/soak"
import { callingProgram, type ProgramCall } from "@sibyl/testing/wasm"
import { Effect, Layer } from "effect"
import fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import { threadWorkers } from "../workers/openWorker.ts"
import { workerFile } from "../workers/workerFile.ts"
import { WorkerPool } from "../pool/workerPool.ts"
import { isTerminal, type Tape } from "../tape/tape.ts"
import { callingProxies } from "../testdata/calling.ts"
import { requestFor } from "../testdata/runtimeOverHttp.ts"
import { ampleGas } from "../testdata/runProgram.ts"
import { moduleNamed } from "../testdata/vectors.ts"
import type { Continuation, PhaseSpending } from "./continuation.ts"
import { drivePhase } from "./drivePhase.ts"
import type { DrivenPhase } from "./phaseProgress.ts"
import { ProxyAccess } from "./proxyAccess.ts"
import { changesIn } from "./runStorage.ts"

const poolOf = () => new WorkerPool({ workers: 1, queueBound: 10, cachedPrograms: 64, openWorker: threadWorkers(workerFile() ?? "") })
const [here, there] = [poolOf(), poolOf()]
afterAll(() => Promise.all([here.close(), there.close()]))

/** What was asked of the network. */
const openNetwork = () => {
  const asked: Array<OutboundRequest> = []
  const http = Layer.succeed(HttpFetch, {
    fetch: (request) => {
      asked.push(request)
      const bytes = new TextEncoder().encode(`about ${request.url}`)
      return Effect.succeed({ kind: "answered", status: 200, headers: [["a", "b"]], bytes, url: request.url, contentLength: bytes.length })
    }
  })
  return { asked, layer: Layer.merge(http, ProxyAccess.layerNone) }
}

const storageOf = (stored: ReadonlyMap<string, string>): NonNullable<PhaseRequest["storage"]> => ({
  read: (keys) =>
    Effect.sync((): StorageView => {
      const values = keys.flatMap((key) => (stored.has(key) ? [[key, stored.get(key) ?? ""] as const] : []))
      return { values: new Map(values), keyCount: stored.size }
    })
})

const seed = new Uint8Array(32).map((_, at) => at)

/** How it ended, without the times of its answers. */
const endOf = ({ ending, storage, tape }: DrivenPhase) => ({
  ending,
  changes: changesIn(storage),
  entries: tape.entries.map((entry) => (isTerminal(entry) ? entry : { ...entry, atMs: 0 }))
})

interface Interruption {
  readonly tape: Tape
  readonly spent: PhaseSpending
}

const drive = async (pool: WorkerPool, request: PhaseRequest, tape: Tape, continuation: Continuation) => {
  const { asked, layer } = openNetwork()
  const driven = await Effect.runPromise(
    Effect.provide(
      callingProxies((caller) => drivePhase({ pool, caller }, request, tape, undefined, undefined, continuation)),
      layer
    )
  )
  return { driven, asked: asked.length }
}

const key = fc.constantFrom("01", "02", "03")
const oneCall: fc.Arbitrary<ProgramCall> = fc.oneof(
  fc.record({ kind: fc.constant("fetch" as const), url: fc.constantFrom("https://u.test/a", "https://u.test/b", "no address") }),
  fc.record({ kind: fc.constantFrom("read" as const, "delete" as const), key }),
  fc.record({ kind: fc.constant("write" as const), key, value: fc.constantFrom("aa", "bbcc") })
)

describe("a phase that is continued elsewhere", () => {
  it("ends as the uninterrupted one, in result, gas, output, changes of storage and tape", async () => {
    const stored = fc.uniqueArray(key, { maxLength: 2 }).map((keys) => new Map(keys.map((one) => [one, "dd"])))
    // Some run out of gas on the way.
    const gasLimit = fc.oneof(fc.constant(ampleGas), fc.bigInt(1_000_000_000_000n, 60_000_000_000_000n))
    const runs = fc.record({ calls: fc.array(oneCall, { maxLength: 6 }), stored, gasLimit })
    await fc.assert(
      fc.asyncProperty(runs, async ({ calls, gasLimit, stored }) => {
        const request = requestFor(callingProgram(calls), { gasLimit, storage: storageOf(stored) })
        const interruptions: Array<Interruption> = []
        const beginning = { startTimeMs: 1_700_000_000_000, seed, entries: [] }
        const whole = await drive(here, request, beginning, { onTape: (tape, spent) => interruptions.push({ tape, spent }) })
        expect(interruptions.map(({ tape }) => tape.entries.length)).toEqual(interruptions.map((_, at) => at + 1))
        for (const { spent, tape } of interruptions) {
          const continued = await drive(there, request, tape, { spent })
          expect(endOf(continued.driven)).toEqual(endOf(whole.driven))
          const before = tape.entries.filter(({ kind }) => kind === "fetch").length
          expect(continued.asked).toBe(Math.max(0, whole.asked - before))
        }
      }),
      { numRuns: soakCount({ everyday: 25, full: 1_000 }) }
    )
  })

  it("has the wall clock that it had left", async () => {
    const request = requestFor(moduleNamed("infinite_loop"), { gasLimit: 2n ** 64n - 1n })
    const spent = { wallClockLeftMs: 200, httpLeftMs: 1, workerMs: 29_800, gasUsed: 77n, storedBefore: new Map() }
    const { driven } = await drive(there, request, { startTimeMs: 0, seed, entries: [] }, { spent })
    expect(driven.ending.gasCharged).toBe(77n)
    expect(driven.ending.workerMs).toBeGreaterThanOrEqual(30_000)
    expect(driven.tape.entries).toEqual([expect.objectContaining({ kind: "deadline", limitMs: 30_000 })])
  })
})
