/** The program runtime as the service uses it: workers, deadlines, interruption, outbound requests. */
import { defaultLimits, type OutboundRequest, type OutboundResponse, type PhaseOutcome } from "@sibyl/core"
import { call, drop, encodeModule, hostImport, i32, i32Const } from "@sibyl/testing/wasm"
import { Effect } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { answeringWith, openRuntime, requestFor, type TestRuntime, type Upstream } from "./testdata/runtimeOverHttp.ts"
import type { RuntimeOptions } from "./runtime.ts"
import { endingOf } from "./testdata/runProgram.ts"
import { execVectors, moduleNamed } from "./testdata/vectors.ts"

describe.each(["thread", "process"] as const)("with each worker a %s:", (isolation) => {
  const open: Array<TestRuntime> = []
  const opened = (options: RuntimeOptions = {}, ...upstream: ReadonlyArray<Upstream>): TestRuntime => {
    const runtime = openRuntime({ isolation, ...options }, ...upstream)
    open.push(runtime)
    return runtime
  }
  afterAll(() => Promise.all(open.map((runtime) => runtime.dispose())))

  const shared = opened({ workers: 2 })

  const endless = requestFor(moduleNamed("infinite_loop"), {
    gasLimit: 2n ** 64n - 1n,
    limits: { ...defaultLimits, execWallClockMs: 200 }
  })
  const quick = requestFor(moduleNamed("min_return"))

  const textOf = (outcome: PhaseOutcome): string => new TextDecoder().decode(outcome.result)

  /** The body that the program of `host_http` received, and whether its promise was fulfilled. */
  const answerOf = (outcome: PhaseOutcome): readonly [kind: string, body: string] => {
    const promise = JSON.parse(textOf(outcome)) as Readonly<Record<string, ReadonlyArray<number>>>
    const [kind, bytes] = Object.entries(promise)[0] ?? ["", []]
    const response = JSON.parse(new TextDecoder().decode(Uint8Array.from(bytes))) as {
      readonly bytes: ReadonlyArray<number>
    }
    return [kind, new TextDecoder().decode(Uint8Array.from(response.bytes))]
  }

  const fetching = requestFor(moduleNamed("host_http"))

  describe("running programs", () => {
    it("gives the outcome of a pass", async () => {
      expect(await shared.run(quick)).toEqual({
        exitCode: 0,
        exitMessage: "Ok",
        gasUsed: 5_000_005_625_000n,
        gasCharged: 5_000_005_625_000n,
        result: new Uint8Array(),
        stdout: "",
        stderr: "",
        proxies: []
      })
    })

    it("makes as many requests as the program, and agrees exactly with the golden case", async () => {
      const vector = execVectors.find(({ name }) => name === "exec-http/fetch-ok")
      const outcome = await shared.run(
        requestFor(vector?.program ?? new Uint8Array(), { args: vector?.args ?? [], envs: vector?.envs ?? [] })
      )
      expect(String(outcome.gasUsed)).toBe(vector?.expect.gasUsed)
      expect(Buffer.from(outcome.result).toString("hex")).toBe(vector?.expect.resultHex)
    })

    it("gives all concurrent runs the same gas, on any worker", async () => {
      const outcomes = await Promise.all(Array.from({ length: 60 }, (_, at) => shared.run(at % 2 === 0 ? fetching : quick)))
      expect(new Set(outcomes.map(({ gasUsed }) => String(gasUsed))).size).toBe(2)
      expect(outcomes.every(({ exitCode }) => exitCode === 0)).toBe(true)
    })

    it("leaves no trace of one run in the next", async () => {
      // Returns the first byte of memory and then sets it.
      const program = encodeModule({
        imports: [hostImport.executionResult, hostImport.procExit],
        memory: 1,
        functions: [{ code: [...i32Const(0), ...i32Const(1), ...call(0), ...i32Const(0), ...i32Const(7), 0x3a, 0, 0] }]
      })
      for (let run = 0; run < 4; run += 1) expect((await shared.run(requestFor(program))).result).toEqual(Uint8Array.of(0))
    })

    it("refuses to run bytes with another program's id: a defect, and no cache is poisoned", async () => {
      const other = moduleNamed("loop_sum")
      await expect(shared.run({ ...requestFor(moduleNamed("globals")), programId: requestFor(other).programId })).rejects.toThrow(
        /have the id/
      )
      expect((await shared.run(requestFor(other))).gasUsed).toBe(endingOf(other, "exec", { envs: quick.envs }).gasUsed)
    })

    it("charges the whole limit if the stack overflows", async () => {
      const program = encodeModule({
        imports: [hostImport.procExit],
        memory: 1,
        functions: [{ parameters: [i32], code: [0x20, 0, ...call(1)] }, { code: [...i32Const(1), ...call(1)] }]
      })
      const outcome = await shared.run(requestFor(program, { gasLimit: 2n ** 63n }))
      expect(outcome).toMatchObject({
        exitCode: 1,
        gasUsed: 2n ** 63n,
        gasCharged: 2n ** 63n,
        stderr: "call stack exhausted"
      })
      expect((await shared.run(quick)).exitCode).toBe(0)
    })
  })

  describe("the wall clock", () => {
    it.each(["exec", "tally"] as const)("ends a %s phase that gas does not, and the next run is served", async (phase) => {
      const runtime = opened({ workers: 1 })
      const limits = { ...defaultLimits, execWallClockMs: 200, tallyWallClockMs: 200 }
      const gasLimit = 2n ** 64n - 1n
      const envs =
        phase === "tally"
          ? ([
              ["VM_MODE", "tally"],
              ["DR_TALLY_GAS_LIMIT", String(gasLimit)]
            ] as const)
          : quick.envs
      const { workerMs = 0, ...outcome } = await runtime.run({ ...endless, phase, limits, envs })
      expect(workerMs).toBeGreaterThanOrEqual(199)
      expect(outcome).toEqual({
        exitCode: phase === "exec" ? 1 : 252,
        exitMessage: "Not ok",
        gasUsed: gasLimit,
        gasCharged: 0n,
        result: new Uint8Array(),
        stdout: "",
        stderr: "Execution time limit exceeded (200ms)",
        reason: "Execution time limit exceeded (200ms)",
        limits: [{ limit: phase === "exec" ? "execWallClockMs" : "tallyWallClockMs", allowed: "200" }],
        proxies: []
      })
      expect((await runtime.run(quick)).exitCode).toBe(0)
    })

    it.each([160 * 65_536, 60_000])(
      "ends a program that only fills memory, %d bytes at a time, which takes time but hardly any gas",
      async (bytes) => {
        const runtime = opened({ workers: 1 })
        const fill = [...i32Const(0), ...i32Const(7), ...i32Const(bytes), 0xfc, 11, 0]
        const program = encodeModule({
          imports: [hostImport.procExit],
          memory: 160,
          functions: [{ code: [0x03, 0x40, ...Array.from({ length: 2_000 }, () => fill).flat(), 0x0c, 0, 0x0b] }]
        })
        const outcome = await runtime.run(requestFor(program, { limits: endless.limits }))
        expect(outcome.stderr).toBe("Execution time limit exceeded (200ms)")
        expect((await runtime.run(quick)).exitCode).toBe(0)
      }
    )

    it("ends a request that is never answered, and charges what was used before it", async () => {
      const runtime = opened({ workers: 1 }, () => Effect.never)
      const outcome = await runtime.run({ ...fetching, limits: { ...endless.limits, execWallClockMs: 1_000 } })
      expect(outcome.stderr).toBe("Execution time limit exceeded (1000ms)")
      expect(outcome.gasUsed).toBe(fetching.gasLimit)
      // Waiting for an upstream is not worker time.
      expect(outcome.workerMs).toBeLessThan(1_000)
      expect(outcome.gasCharged > 11_000_000_000_000n && outcome.gasCharged < 12_000_000_000_000n).toBe(true)
    })

    it("does not count the time spent waiting for a worker", async () => {
      const runtime = opened({ workers: 1 })
      // Long enough for a new worker on a busy machine to run the short program, and a third of the time that it waits.
      const limits = { ...defaultLimits, execWallClockMs: 400 }
      const outcomes = await Promise.all([
        ...Array.from({ length: 3 }, () => runtime.run({ ...endless, limits })),
        runtime.run({ ...quick, limits })
      ])
      expect(outcomes.map(({ exitCode }) => exitCode)).toEqual([1, 1, 1, 0])
    })
  })

  describe("an interruption", () => {
    it("frees the worker, whether the run was on it or waited for it", async () => {
      const runtime = opened({ workers: 1 })
      await runtime.run(quick)
      const controller = new AbortController()
      const long = { ...endless, limits: { ...defaultLimits, execWallClockMs: 3_600_000 } }
      const running = runtime.run(long, controller.signal)
      const waiting = runtime.run(long, controller.signal)
      await new Promise((resume) => setTimeout(resume, 50))
      controller.abort()
      await expect(running).rejects.toThrow()
      await expect(waiting).rejects.toThrow()
      expect((await runtime.run(quick)).exitCode).toBe(0)
    })
  })

  describe("the queue", () => {
    it("is bounded: one more first run is a defect, and the others finish", async () => {
      const runtime = opened({ workers: 1, queueBound: 2 })
      await runtime.run(quick)
      const limits = { ...defaultLimits, execWallClockMs: 150 }
      const results = await Promise.allSettled(Array.from({ length: 5 }, () => runtime.run({ ...endless, limits })))
      expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled", "rejected", "rejected"])
    })
  })

  describe("outbound requests", () => {
    const asked: Array<OutboundRequest> = []
    const recorded = (response: OutboundResponse): TestRuntime =>
      opened({ workers: 1 }, (request) => {
        asked.push(request)
        return Effect.succeed(response)
      })

    it("have the program's parameters, and the limits", async () => {
      const runtime = recorded({ kind: "rejected", message: "no", timedOut: false })
      expect(answerOf(await runtime.run(fetching))).toEqual(["Rejected", "no"])
      expect(asked.at(-1)).toEqual({
        projectId: "project",
        mostAtOnce: defaultLimits.httpRequestsPerProject,
        url: "http://localhost/",
        method: "GET",
        headers: [],
        body: new Uint8Array(),
        timeoutMs: defaultLimits.httpRequestTimeoutMs,
        maxResponseBytes: defaultLimits.httpResponseBytes
      })
    })

    it("report their time limit when they time out: their own, or the rest of the run's", async () => {
      const runtime = recorded({ kind: "rejected", message: "late", timedOut: true })
      expect(answerOf(await runtime.run(fetching))).toEqual(["Rejected", "HTTP fetch time limit exceeded (2000ms)"])
      const limits = { ...defaultLimits, httpRunBudgetMs: 500 }
      expect(answerOf(await runtime.run({ ...fetching, limits }))).toEqual(["Rejected", "Global HTTP fetch time limit exceeded (500ms)"])
      expect(asked.at(-1)?.timeoutMs).toBe(500)
    })

    it("are not made once the run's time for them is exhausted", async () => {
      const before = asked.length
      const runtime = recorded({ kind: "rejected", message: "late", timedOut: true })
      const limits = { ...defaultLimits, httpRunBudgetMs: 0 }
      expect(answerOf(await runtime.run({ ...fetching, limits }))).toEqual(["Rejected", "Global HTTP fetch time limit exceeded (0ms)"])
      expect(asked).toHaveLength(before)
    })

    it("through an unregistered data proxy are refused before they are sent", async () => {
      const before = asked.length
      const runtime = recorded({ kind: "rejected", message: "no", timedOut: false })
      const outcome = await runtime.run({ ...fetching, args: ["00"] })
      expect(answerOf(outcome)).toEqual(["Rejected", "Failed to get proxy gas cost: no data proxy is registered under this key"])
      expect([outcome.exitCode, outcome.proxies, asked.length]).toEqual([0, [], before])
    })

    it("whose answer is larger than the program's memory end with a trap of the program", async () => {
      const runtime = opened({ workers: 1 }, answeringWith("x".repeat(200_000)))
      // It writes the answer's bytes outside of its memory, which is ignored, and then reads its result from there.
      const outcome = await runtime.run(fetching)
      expect([outcome.exitCode, outcome.stderr]).toEqual([1, "memory access out of bounds"])
    })
  })

  describe("storage", () => {
    const request = '{"keys":[]}'
    it("is rejected as not enabled", async () => {
      const program = encodeModule({
        imports: [hostImport.executionResult, hostImport.storageDelete, hostImport.callResultWrite],
        memory: 1,
        data: [{ offset: 0, bytes: [...new TextEncoder().encode(request)] }],
        functions: [
          {
            locals: [i32],
            code: [
              ...i32Const(0),
              ...i32Const(request.length),
              ...call(1),
              0x22,
              0,
              drop,
              ...i32Const(64),
              0x20,
              0,
              ...call(2),
              ...i32Const(64),
              0x20,
              0,
              ...call(0)
            ]
          }
        ]
      })
      const promise = JSON.parse(textOf(await shared.run(requestFor(program)))) as {
        readonly Rejected: ReadonlyArray<number>
      }
      expect(new TextDecoder().decode(Uint8Array.from(promise.Rejected))).toBe("storage is not enabled")
    })
  })
})
