/** Both phases in one order: their outcomes are those of one order for each phase. */
import { call, encodeModule, end, hostImport, i32Const } from "@sibyl/testing/wasm"
import { Effect } from "effect"
import fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import { type BothRuntime, openBothRuntime, runOf } from "./testdata/bothPhases.ts"
import { branchingProgram } from "./testdata/branchingProgram.ts"
import { everyday } from "./testdata/everyday.ts"
import { fetchingProgram, getting } from "./testdata/fetchingProgram.ts"
import { generatedProgram } from "./testdata/generatedProgram.ts"
import { ampleGas } from "./testdata/runProgram.ts"
import { answeringWith } from "./testdata/runtimeOverHttp.ts"
import { moduleNamed } from "./testdata/vectors.ts"

describe.each(["thread", "process"] as const)("with each worker a %s:", (isolation) => {
  const open: Array<BothRuntime> = []
  const opened = (...[options, upstream = answeringWith("hello")]: Partial<Parameters<typeof openBothRuntime>>): BothRuntime => {
    const runtime = openBothRuntime({ workers: 1, isolation, ...options }, upstream)
    open.push(runtime)
    return runtime
  }
  afterAll(() => Promise.all(open.map((runtime) => runtime.dispose())))

  const shared = opened({ workers: 2 })

  /** Returns this text. */
  const returning = (text: string): Uint8Array => {
    const bytes = [...new TextEncoder().encode(text)]
    return encodeModule({
      imports: [hostImport.executionResult, hostImport.procExit],
      memory: 1,
      data: [{ offset: 0, bytes }],
      functions: [{ code: [...i32Const(0), ...i32Const(bytes.length), ...call(0)] }]
    })
  }

  /** Exits with this code. */
  const exiting = (code: number): Uint8Array =>
    encodeModule({ imports: [hostImport.procExit], memory: 1, functions: [{ code: [...i32Const(code), ...call(0)] }] })

  const overflowing = encodeModule({ imports: [hostImport.procExit], memory: 1, functions: [{ code: [...call(1)] }] })
  const endless = encodeModule({ imports: [hostImport.procExit], memory: 1, functions: [{ code: [0x03, 0x40, 0x0c, 0, end] }] })
  const echo = returning('{"price":"tallied"}')
  const boundless = 2n ** 64n - 1n

  /** Filter bytes (docs/OPERATING.md): the most frequent price, or those near the median, a 64-bit integer. */
  const path = Buffer.from("$.price")
  const byMode = Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0, path.length, ...path)
  const byMad = Uint8Array.of(2, 0, 0, 0, 0, 0, 15, 66, 64, 2, 0, 0, 0, 0, 0, 0, 0, path.length, ...path)

  const programs = (multiValue: boolean): fc.Arbitrary<Uint8Array> =>
    fc.oneof(
      { weight: 3, arbitrary: branchingProgram({ multiValue }) },
      { weight: 2, arbitrary: generatedProgram },
      { weight: 3, arbitrary: fc.constantFrom('{"price":5}', '{"price":"five"}', '{"other":1}', "no JSON", "").map(returning) },
      { weight: 1, arbitrary: fc.constantFrom(0, 1, 250).map(exiting) },
      { weight: 1, arbitrary: fc.constantFrom(overflowing, new Uint8Array(9), moduleNamed("globals")) }
    )

  /** Enough, none at all, or some that ends a program in its midst. */
  const gas = fc.oneof(
    { weight: 3, arbitrary: fc.constant(ampleGas) },
    { weight: 2, arbitrary: fc.bigInt({ min: 5_000_000_000_000n, max: 12_000_000_000_000n }) },
    { weight: 1, arbitrary: fc.bigInt({ min: 0n, max: 5_100_000_000_000n }) }
  )

  /** Where its stack may end a program, its gas may not: how deep it gets differs from pass to pass, as engines compile what runs often. */
  const gasOf = (program: Uint8Array, drawn: bigint): bigint => (program === overflowing ? ampleGas : drawn)

  describe("both phases in one order", () => {
    it("have the outcomes of two orders, for generated programs, gas limits and filters", async () => {
      const settings = fc.record({ execGas: gas, tallyGas: gas, filter: fc.constantFrom(Uint8Array.of(0), byMode, byMad) })
      const ends = new Set<string>()
      const plenty = { execGas: ampleGas, tallyGas: ampleGas, filter: Uint8Array.of(0) }
      // One of each end, which chance alone may leave out.
      const examples: Array<[Uint8Array, Uint8Array, typeof plenty]> = [
        [returning('{"price":5}'), echo, plenty],
        [returning('{"price":5}'), exiting(1), plenty],
        [returning("no JSON"), echo, { ...plenty, filter: byMode }],
        [exiting(1), echo, plenty]
      ]
      await fc.assert(
        fc.asyncProperty(programs(true), programs(false), settings, async (exec, tally, some) => {
          const run = runOf(exec, tally, { ...some, execGas: gasOf(exec, some.execGas), tallyGas: gasOf(tally, some.tallyGas) })
          const [together, oneByOne] = await Promise.all([shared.together(run), shared.oneByOne(run)])
          expect(together).toEqual(oneByOne)
          const { tally: tallied } = together
          ends.add(tallied === undefined ? "no tally" : "refusal" in tallied ? "refused" : tallied.phase.exitCode === 0 ? "well" : "failed")
        }),
        { numRuns: everyday(120), examples }
      )
      expect([...ends].toSorted()).toEqual(["failed", "no tally", "refused", "well"])
    })

    it("have them where the execution makes requests, prefetched or not", async () => {
      const runtime = opened()
      const fetching = runOf(fetchingProgram([getting("http://a.example/"), getting("http://b.example/")]), echo)
      const outcome = await runtime.together(fetching)
      // Remembered requests are prefetched in the second run.
      const second = await runtime.oneByOne(fetching)
      expect(second.exec.prefetch).toEqual({ requested: 2, used: 2 })
      // The times of the answers differ.
      expect(second.exec.hostCalls?.map(({ request }) => request)).toEqual(["GET http://a.example/", "GET http://b.example/"])
      const { hostCalls, prefetch } = second.exec
      expect(second).toEqual({ ...outcome, exec: { ...outcome.exec, hostCalls, prefetch } })
      expect((await runtime.together(fetching)).exec.prefetch).toEqual({ requested: 2, used: 2 })
    })

    it("run more programs than a worker keeps, in any order, each as itself", async () => {
      const texts = Array.from({ length: 5 }, (_, at) => `{"price":${at}}`)
      for (const cachedPrograms of [1, 2, 3]) {
        const runtime = opened({ cachedPrograms, workers: 2 })
        const runs = Array.from({ length: 60 }, (_, at) => [texts[(at * at) % 5] ?? "", texts[(at * 3 + 1) % 5] ?? ""] as const)
        const seen = await Promise.all(runs.map(([exec, tally]) => runtime.together(runOf(returning(exec), returning(tally)))))
        const shown = seen.map(({ exec, tally }) => [exec.result, tally !== undefined && "phase" in tally ? tally.phase.result : undefined])
        expect(shown).toEqual(runs.map((pair) => pair.map((text) => new TextEncoder().encode(text))))
      }
    })

    it("are followed by a tally only if the execution ends with 0, and prepare it no earlier", async () => {
      const runtime = opened()
      const foreign = runOf(exiting(3), echo)
      // Bytes of another program: a defect as soon as they are prepared.
      const wrong = { ...foreign, tally: { ...foreign.tally, program: endless } }
      expect((await runtime.together(wrong)).tally).toBeUndefined()
      const right = runOf(exiting(0), echo)
      await expect(runtime.together({ ...right, tally: { ...right.tally, program: endless } })).rejects.toThrow(/have the id/)
      expect((await runtime.together(right)).tally).toMatchObject({ consensus: true, phase: { exitCode: 0 } })
    })
  })

  describe("deadlines of both phases in one order", () => {
    const limits = { execWallClockMs: 3_000, tallyWallClockMs: 1_000 }
    const settings = { execGas: boundless, tallyGas: boundless, limits }
    const timeless = ({ workerMs, ...outcome }: { readonly workerMs?: number }) => ({ ...outcome, hasWorkerMs: workerMs !== undefined })

    it("are those of each phase: the execution's, without a tally", async () => {
      const runtime = opened()
      const { exec, tally } = await runtime.together(runOf(endless, echo, settings))
      expect(exec.stderr).toBe("Execution time limit exceeded (3000ms)")
      expect(tally).toBeUndefined()
      expect((await runtime.together(runOf(echo, echo))).exec.exitCode).toBe(0)
    })

    it("and the tally's, whose execution has the outcome that it had come to", async () => {
      const runtime = opened()
      const run = runOf(returning("found"), endless, settings)
      const together = await runtime.together(run)
      const oneByOne = await runtime.oneByOne(run)
      expect(together.exec).toEqual(oneByOne.exec)
      const [one, two] = [together, oneByOne].map(({ tally }) => (tally !== undefined && "phase" in tally ? tally.phase : undefined))
      expect(one?.stderr).toBe("Execution time limit exceeded (1000ms)")
      expect(one?.workerMs).toBeGreaterThanOrEqual(999)
      expect(timeless(one ?? {})).toEqual(timeless(two ?? {}))
      expect((await runtime.together(runOf(echo, echo))).exec.exitCode).toBe(0)
    })

    it("leave a tally its own time behind the last pass of an execution that waited for an answer", async () => {
      const runtime = opened()
      const slow = opened({}, (request) => Effect.delay(answeringWith("late")(request), "150 millis"))
      const fetching = fetchingProgram([getting("http://a.example/")])
      const late = await slow.together(runOf(fetching, endless, settings))
      expect(late.exec.exitCode).toBe(0)
      expect(late.tally).toMatchObject({ phase: { stderr: "Execution time limit exceeded (1000ms)" } })
      expect((await runtime.together(runOf(fetching, echo, settings))).tally).toMatchObject({ phase: { exitCode: 0 } })
    })
  })

  describe("an interruption of both phases", () => {
    it("frees the worker, in the tally too", async () => {
      const runtime = opened()
      await runtime.together(runOf(echo, echo))
      const controller = new AbortController()
      const run = runOf(echo, endless, { tallyGas: boundless, limits: { tallyWallClockMs: 3_600_000 } })
      const running = runtime.together(run, controller.signal)
      await new Promise((resume) => setTimeout(resume, 100))
      controller.abort()
      await expect(running).rejects.toThrow()
      expect((await runtime.together(runOf(echo, echo))).exec.exitCode).toBe(0)
    })
  })
})
