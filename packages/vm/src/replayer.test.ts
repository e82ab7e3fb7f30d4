/** Recorded phases end as they did when they are run again on their tapes; what does not fit its tape is found. */
import { defaultLimits, type PhaseOutcome, type PhaseRequest } from "@sibyl/core"
import { call, encodeModule, end, hostImport } from "@sibyl/testing/wasm"
import { Effect, ManagedRuntime } from "effect"
import fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import { ReplayDiverged, Replayer } from "./replayer.ts"
import { openBothRuntime, runOf } from "./testdata/bothPhases.ts"
import { branchingProgram } from "./testdata/branchingProgram.ts"
import { everyday } from "./testdata/everyday.ts"
import { fetchingProgram, getting } from "./testdata/fetchingProgram.ts"
import { answeringWith, openRuntime, requestFor } from "./testdata/runtimeOverHttp.ts"
import { execVectors, moduleNamed, tallyVectors } from "./testdata/vectors.ts"

const shared = openRuntime({ workers: 2 }, answeringWith("hello"))
const both = openBothRuntime({ workers: 1 }, answeringWith("hello"))
const again = ManagedRuntime.make(Replayer.layer({ workers: 1 }))
afterAll(() => Promise.all([shared.dispose(), both.dispose(), again.dispose()]))

const replay = (request: PhaseRequest, tape: string): Promise<PhaseOutcome> =>
  again.runPromise(Effect.flatMap(Replayer, ({ replay: run }) => run(request, tape)))

/** Why a replay has no outcome. */
const refusalOf = (request: PhaseRequest, tape: string): Promise<string> =>
  again.runPromise(
    Effect.flatMap(Replayer, ({ replay: run }) => Effect.flip(run(request, tape))).pipe(
      Effect.map((refused) => (refused instanceof ReplayDiverged ? refused.message : "something else"))
    )
  )

/** What a program can be seen to have done; how the runtime got the answers is no part of it. */
const done = ({ hostCalls: _hostCalls, prefetch: _prefetch, storage: _storage, tape: _tape, ...rest }: PhaseOutcome) => rest

const textOf = ({ tape }: PhaseOutcome): string => (typeof tape === "string" ? tape : "")

const recorded = async (request: PhaseRequest) => {
  const outcome = await shared.run({ ...request, isRecorded: true })
  if (typeof outcome.tape !== "string") throw new Error("no tape")
  return { outcome, tape: outcome.tape }
}

const expectSame = async (request: PhaseRequest, what = ""): Promise<void> => {
  const { outcome, tape } = await recorded(request)
  expect(done(await replay(request, tape)), what).toEqual(done(outcome))
}

/** Three requests, one after the other. */
const fetching = requestFor(fetchingProgram(["a", "b", "c"].map((name) => getting(`http://upstream.example/${name}`))))

describe("a recorded phase", () => {
  it("has no tape unless it is asked for", async () => {
    expect(await shared.run(fetching)).not.toHaveProperty("tape")
  })

  it("has no more than the size of a tape that is larger than allowed", async () => {
    const { tape } = await recorded(fetching)
    const within = async (recordingBytes: number) =>
      (await shared.run({ ...fetching, isRecorded: true, limits: { ...defaultLimits, recordingBytes } })).tape
    const [bytes, most] = [tape.length, tape.length + 9]
    expect(await within(most)).toHaveLength(bytes)
    expect(await within(bytes - 1)).toEqual({ bytes })
    // The answers alone.
    expect(await within(100)).toEqual({ bytes: expect.any(Number) })
  })

  it("ends as it did, in all golden cases of both phases", async () => {
    const cases = [...execVectors, ...tallyVectors]
    expect(cases.length).toBeGreaterThan(250)
    for (const { args, envs, gasLimit, limits, name, phase, program } of cases) {
      await expectSame(requestFor(program, { phase, args, envs, gasLimit, limits }), name)
    }
  })

  it("ends as it did, for generated programs whose phases ran in one order", async () => {
    const program = branchingProgram({ multiValue: false })
    await fc.assert(
      fc.asyncProperty(program, program, fc.constantFrom(300_000_000_000_000n, 6_000_000_000_000n), async (exec, tally, execGas) => {
        const asked = runOf(exec, tally, { execGas })
        const request = { ...asked.exec, isRecorded: true }
        const run = await both.together({ ...asked, exec: request })
        expect(done(await replay(request, textOf(run.exec)))).toEqual(done(run.exec))
        expect(run.exec.exitCode === 0).toBe(run.tally !== undefined)
        if (run.tally !== undefined && "phase" in run.tally) expect(textOf(run.tally.phase)).toContain('"entries":[]')
      }),
      { numRuns: everyday(60) }
    )
  })

  it("ends by its deadline as it did, and by the engine's stack", async () => {
    const endless = encodeModule({ imports: [hostImport.procExit], memory: 1, functions: [{ code: [0x03, 0x40, 0x0c, 0, end] }] })
    const gasLimit = 2n ** 64n - 1n
    const limits = { ...defaultLimits, tallyWallClockMs: 100 }
    await expectSame(requestFor(endless, { gasLimit, limits: { ...defaultLimits, execWallClockMs: 100 } }))
    const overflowing = encodeModule({ imports: [hostImport.procExit], memory: 1, functions: [{ code: [...call(1)] }] })
    await expectSame(requestFor(overflowing, { gasLimit, limits }))
    const asked = runOf(moduleNamed("min_return"), endless, { tallyGas: gasLimit, limits })
    const { tally } = await both.together({ ...asked, exec: { ...asked.exec, isRecorded: true } })
    if (tally === undefined || !("phase" in tally)) throw new Error("no tally phase")
    const request = requestFor(endless, { gasLimit, limits, phase: "tally", envs: [["DR_TALLY_GAS_LIMIT", String(gasLimit)]] })
    expect(done(await replay(request, textOf(tally.phase)))).toEqual(done(tally.phase))
  })

  it("is not what it was on another tape, or has no outcome", async () => {
    const { outcome, tape } = await recorded(fetching)
    const other = await replay(fetching, tape.replaceAll('"hello"', '"HELLO"'))
    expect(other.result).not.toEqual(outcome.result)
    const parsed = JSON.parse(tape) as { readonly entries: ReadonlyArray<Readonly<Record<string, unknown>>> }
    const withEntries = (entries: ReadonlyArray<unknown>): string => JSON.stringify({ ...parsed, entries })
    const [first, second] = parsed.entries
    expect(parsed.entries).toHaveLength(3)
    expect(await refusalOf(fetching, withEntries([first, second]))).toBe("it asks for an answer that the tape does not hold: fetch")
    for (const entries of [[...parsed.entries, second], [second, first, parsed.entries[2]], [{ ...first, kind: "proxyFetch" }]]) {
      expect(await refusalOf(fetching, withEntries(entries))).toMatch(/./)
    }
    expect(await refusalOf(fetching, "{")).toMatch(/^its tape cannot be read: /)
    expect(await refusalOf({ ...fetching, programId: "0".repeat(64) }, tape)).toMatch(/./)
  })
})
