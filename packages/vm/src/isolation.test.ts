/** Programs that take their worker down: the run has an outcome, the others go on, and nobody gives it another worker. */
import { HttpFetch, metricList, Metrics, type PhaseOutcome, ProgramRuntime } from "@sibyl/core"
import { Effect, Either, Layer, Logger, ManagedRuntime } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { layerProgramRuntime } from "./runtime.ts"
import { readTape } from "./tape/tapeText.ts"
import { runOf } from "./testdata/bothPhases.ts"
import { compileBomb } from "./testdata/compileBombs.ts"
import { requestFor } from "./testdata/runtimeOverHttp.ts"
import { greedy, tightMemoryMib } from "./testdata/tightMemory.ts"
import { moduleNamed } from "./testdata/vectors.ts"

const plain = moduleNamed("min_return")

describe("a program that takes its worker down", () => {
  const lost: Array<string> = []
  const log: Array<string> = []
  const measuring = {
    isOn: true,
    observe: () => {},
    read: () => () => {},
    add: ({ name }: { readonly name: string }, by: number, ...labels: ReadonlyArray<string>): void => {
      if (name === metricList.workersLost.name) lost.push(`${by} ${labels.join()}`)
    }
  }
  const told = Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ logLevel, message }) => void log.push(`${logLevel.label} ${String(message)}`))
  )
  const machine = layerProgramRuntime({ workers: 1, spareWorkers: 0, isolation: "process", workerMemoryMib: tightMemoryMib }).pipe(
    Layer.provide([HttpFetch.layerClosed, Layer.succeed(Metrics, measuring), told])
  )
  const runtime = ManagedRuntime.make(machine)
  afterAll(() => runtime.dispose())
  const using = <A>(use: (programs: typeof ProgramRuntime.Service) => Effect.Effect<A, unknown>): Promise<A> =>
    runtime.runPromise(Effect.flatMap(ProgramRuntime, use))

  let first: PhaseOutcome
  beforeAll(async () => {
    first = await using(({ run }) => run(requestFor(greedy, { isRecorded: true })))
  })

  it("fails with a reason that names the limit, and is charged for the worker's time, not for its gas limit", () => {
    expect(first).toMatchObject({
      exitCode: 1,
      exitMessage: "Not ok",
      gasCharged: 0n,
      reason: `Memory limit of the worker exceeded (${tightMemoryMib}MiB)`,
      stderr: `Memory limit of the worker exceeded (${tightMemoryMib}MiB)`
    })
    expect(first.gasUsed).toBe(requestFor(greedy).gasLimit)
    expect(first.workerMs).toBeGreaterThan(0)
  })

  it("says so on its tape, so that it is the same when it is run again", () => {
    const tape = Either.getOrThrow(readTape(typeof first.tape === "string" ? first.tape : ""))
    expect(tape.entries).toEqual([
      { kind: "workerLost", loss: { why: "memory", limitMib: tightMemoryMib }, gasCharged: 0n, workerMs: first.workerMs }
    ])
  })

  it("was given two workers, which the operator is told", () => {
    expect(lost).toEqual(["1 memory", "1 memory"])
    const line = `WARN a worker that runs programs ended and was replaced: it had more than ${tightMemoryMib} MiB of memory`
    expect(log).toEqual([line, line])
  })

  it("gets no third one: it ends as before, at once and for nothing", async () => {
    const again = await using(({ run }) => run(requestFor(greedy)))
    expect(again).toMatchObject({
      exitCode: 1,
      reason: `Memory limit of the worker exceeded (${tightMemoryMib}MiB)`,
      gasCharged: 0n,
      workerMs: 0
    })
    expect(lost.length).toBe(2)
  })

  it("is refused where programs are checked, in this phase", async () => {
    const whyOf = (phase: "exec" | "tally"): Promise<string | undefined> =>
      using(({ validate }) => validate?.({ ...requestFor(greedy), phase }) ?? Effect.die("no validation"))
    expect(await whyOf("exec")).toBe(`it takes more than the ${tightMemoryMib} MiB of a worker`)
    expect(await whyOf("tally")).toBeUndefined()
  })

  it("takes nothing from others", async () => {
    expect((await using(({ run }) => run(requestFor(plain)))).exitCode).toBe(0)
  })

  it("as a tally program fails the tally, not the execution before it", async () => {
    const { exec, tally } = runOf(plain, greedy)
    const outcome = await using(({ runBoth }) => runBoth?.(exec, tally) ?? Effect.die("no runBoth"))
    expect(outcome.exec).toMatchObject({ exitCode: 0, exitMessage: "Ok" })
    expect(outcome.tally).toMatchObject({
      consensus: true,
      phase: { exitCode: 252, reason: `Memory limit of the worker exceeded (${tightMemoryMib}MiB)`, gasCharged: 0n }
    })
    expect(lost.length).toBe(4)
  })
})

describe("programs that are checked by workers", () => {
  const machine = layerProgramRuntime({ workers: 1, isolation: "process" }).pipe(Layer.provide(HttpFetch.layerClosed))
  const runtime = ManagedRuntime.make(machine)
  const inThreads = ManagedRuntime.make(layerProgramRuntime({ workers: 1 }).pipe(Layer.provide(HttpFetch.layerClosed)))
  afterAll(() => Promise.all([runtime.dispose(), inThreads.dispose()]))

  const names = ["min_return", "loop_sum", "host_http"]
  const programs: ReadonlyArray<readonly [string, Uint8Array]> = [
    ...names.map((name) => [name, moduleNamed(name)] as const),
    ["no module", Uint8Array.of(1, 2, 3)],
    ["too large", new Uint8Array(1_048_577)],
    ["too costly", compileBomb.localsIf(20_000, 1_200)],
    ["without an entry", Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)]
  ]

  it.each(programs)("have the verdict that they have without: %s", async (_, program) => {
    for (const phase of ["exec", "tally"] as const) {
      const whyOn = (machine: typeof runtime): Promise<string | undefined> =>
        machine.runPromise(
          Effect.flatMap(ProgramRuntime, ({ validate }) => validate?.({ ...requestFor(program), phase }) ?? Effect.die("no validation"))
        )
      expect(await whyOn(runtime)).toBe(await whyOn(inThreads))
    }
  })
})
