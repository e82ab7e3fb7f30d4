/** Results that are signed by the threads that ran them: with the server's signer, in the threads of the real runtime. */
import {
  DataProxies,
  defaultLimits,
  type FollowingTally,
  HttpFetch,
  localNetwork,
  Network,
  type PhaseRequest,
  ProgramRuntime,
  programIdOf,
  Signer
} from "@sibyl/core"
import { dataResultIdOf, dataResultOf, recoverSigner, runResultOf, tallyBaseOf } from "@sibyl/core/internal"
import { layerProxiedProgramRuntime } from "@sibyl/vm"
import { call, encodeModule, end, hostImport, i32Const } from "@sibyl/testing/wasm"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { layerLocalSigner } from "./localSigner.ts"

const secret = Redacted.make(Uint8Array.from({ length: 32 }, (_, at) => at + 1))

const opened = (inThreads: boolean, workers = 1) => {
  const http = Layer.succeed(HttpFetch, { fetch: () => Effect.dieMessage("a request") })
  const ports = Layer.mergeAll(http, DataProxies.layerMemory(), Network.layer(localNetwork))
  const machine = layerProxiedProgramRuntime({ workers }).pipe(
    Layer.provide(ports),
    Layer.provideMerge(layerLocalSigner(secret, { inThreads }))
  )
  return ManagedRuntime.make(machine)
}

const signingRuntime = opened(true)
const silentRuntime = opened(false)
afterAll(() => Promise.all([signingRuntime.dispose(), silentRuntime.dispose()]))

const returning = (text: string): Uint8Array => {
  const bytes = [...new TextEncoder().encode(text)]
  const functions = [{ code: [...i32Const(0), ...i32Const(bytes.length), ...call(0)] }]
  return encodeModule({ imports: [hostImport.executionResult, hostImport.procExit], memory: 1, data: [{ offset: 0, bytes }], functions })
}
const failing = encodeModule({ imports: [hostImport.procExit], memory: 1, functions: [{ code: [...i32Const(9), ...call(0)] }] })
const endless = encodeModule({ imports: [hostImport.procExit], memory: 1, functions: [{ code: [0x03, 0x40, 0x0c, 0, end] }] })
/** A filter for the most frequent price. */
const byMode = Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0, 7, ...Buffer.from("$.price"))

const gas = 2n ** 63n
const runOf = (execProgram: Uint8Array, tallyProgram: Uint8Array, filter = Uint8Array.of(0)): readonly [PhaseRequest, FollowingTally] => {
  const [execProgramId, tallyProgramId] = [programIdOf(execProgram), programIdOf(tallyProgram)]
  const limits = { ...defaultLimits, execWallClockMs: 3_000, tallyWallClockMs: 1_000 }
  const [phase, nothing] = ["exec" as const, new Uint8Array()]
  return [
    { phase, projectId: "project", programId: execProgramId, program: execProgram, args: [], envs: [], gasLimit: gas, limits },
    {
      program: tallyProgram,
      blockHeight: 3n,
      sign: { version: "0.0.1" },
      request: {
        version: "0.0.1",
        execProgramId,
        execInputs: nothing,
        execGasLimit: gas,
        tallyProgramId,
        tallyInputs: nothing,
        tallyGasLimit: gas,
        replicationFactor: 1,
        consensusFilter: filter,
        gasPrice: 0n,
        memo: nothing
      }
    }
  ]
}

const run = (runtime: typeof signingRuntime, [exec, following]: ReturnType<typeof runOf>) =>
  runtime.runPromise(
    Effect.gen(function* () {
      const { runBoth } = yield* ProgramRuntime
      const { publicKey } = yield* Signer
      if (runBoth === undefined) return yield* Effect.dieMessage("the runtime runs no phases together")
      const beganAtMs = Date.now()
      const outcome = yield* runBoth(exec, following)
      const { signed } = outcome
      if (signed === undefined) return undefined
      const { blockHeight, request } = following
      const identity = { version: "0.0.1", drId: tallyBaseOf(request).drId, blockHeight, timestampMs: signed.timestampMs }
      const digest = dataResultIdOf(dataResultOf(identity, runResultOf(outcome.exec, outcome.tally)))
      expect(signed.publicKey).toBe(publicKey)
      expect(recoverSigner(digest, Buffer.from(signed.signature, "hex"))).toBe(publicKey)
      expect(signed.timestampMs).toBeGreaterThanOrEqual(beganAtMs)
      return signed
    })
  )

describe("a thread's signature", () => {
  it.each([
    ["both phases", runOf(returning("found"), returning("told"))],
    ["a failed tally", runOf(returning("found"), failing)],
    ["a failed execution", runOf(failing, returning("told"))],
    ["a filter that refuses", runOf(returning("found"), returning("told"), byMode)],
    ["a program that is none", runOf(new Uint8Array(8), returning("told"))]
  ])("is that of the result that the service makes of %s", async (_, both) => {
    expect(await run(signingRuntime, both)).toBeDefined()
  })

  it("has a later time than the one before it, for the same request", async () => {
    const both = runOf(returning("again"), returning("told"))
    const timeOf = async () => (await run(signingRuntime, both))?.timestampMs ?? 0
    // Beside each other they may end in another order: what lies ahead of a busy worker is recalled.
    expect(new Set(await Promise.all(Array.from({ length: 40 }, timeOf))).size).toBe(40)
    const times: Array<number> = []
    for (let number = 0; number < 10; number += 1) times.push(await timeOf())
    expect(times).toEqual([...new Set(times)].toSorted((left, right) => left - right))
  })

  it("is missing where a phase was ended, and there again with the next worker", async () => {
    expect(await run(signingRuntime, runOf(endless, returning("told")))).toBeUndefined()
    expect(await run(signingRuntime, runOf(returning("found"), endless))).toBeUndefined()
    expect(await run(signingRuntime, runOf(returning("found"), returning("told")))).toBeDefined()
  })

  it("is missing where the signer lets no thread sign", async () => {
    expect(await run(silentRuntime, runOf(returning("found"), returning("told")))).toBeUndefined()
  })

  it("is missing where the thread cannot load the module", async () => {
    const broken = Layer.effect(
      Signer,
      Effect.map(Signer, (signer) => ({ ...signer, inThreads: { module: "file:///none.js", secret, publicKey: signer.publicKey } }))
    ).pipe(Layer.provide(layerLocalSigner(secret)))
    const ports = Layer.mergeAll(HttpFetch.layerClosed, DataProxies.layerMemory(), Network.layer(localNetwork))
    const runtime = ManagedRuntime.make(layerProxiedProgramRuntime({ workers: 1 }).pipe(Layer.provide(ports), Layer.provideMerge(broken)))
    expect(await run(runtime, runOf(returning("found"), returning("told")))).toBeUndefined()
    await runtime.dispose()
  })
})
