// Runs a mixture of programs on one runtime, as many as its first argument says, and prints what the process had in use on the way.
import { readFileSync } from "node:fs"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { defaultLimits, HttpFetch, programIdOf, ProgramRuntime } from "@sibyl/core"
import { call, encodeModule, end, hostImport, i32Const, localGet, localSet, i32 } from "@sibyl/testing/wasm"
import { layerProgramRuntime } from "@sibyl/vm"
import { Effect, Layer, ManagedRuntime } from "effect"

const runs = Number(process.argv[2])
const samples = 10
const inFlight = 16

setFlagsFromString("--expose-gc")
const collect = globalThis.Bun === undefined ? runInNewContext("gc") : () => globalThis.Bun.gc(true)

const exit = [...i32Const(0), ...call(1)]
const imports = [hostImport.executionResult, hostImport.procExit]
const resultOf = (at) => [...i32Const(at), ...i32Const(8), ...call(0)]

/** A program of its own for each number: more than a worker keeps. */
const plain = Array.from({ length: 60 }, (_, at) => encodeModule({ imports, memory: 1, functions: [{ code: [...resultOf(at), ...exit] }] }))

const url = '{"url":"http://upstream.example/","options":{"method":"GET","headers":{},"body":null,"timeout_ms":null}}'
const fetching = encodeModule({
  imports: [...imports, hostImport.httpFetch, hostImport.callResultWrite],
  memory: 1,
  data: [{ offset: 0, bytes: [...new TextEncoder().encode(url)] }],
  functions: [
    {
      locals: [i32],
      code: [
        ...[...i32Const(0), ...i32Const(url.length), ...call(2), ...localSet(0)],
        ...[...i32Const(1024), ...localGet(0), ...call(3), ...i32Const(1024), ...localGet(0), ...call(0)],
        ...exit
      ]
    }
  ]
})
const growing = encodeModule({ imports, memory: 1, functions: [{ code: [...i32Const(40), 0x40, 0, 0x1a, ...resultOf(0), ...exit] }] })
const trapping = encodeModule({ imports, memory: 1, functions: [{ code: [0x00] }] })
const endless = encodeModule({ imports, memory: 1, functions: [{ code: [0x03, 0x40, 0x0c, 0, end] }] })
const invalid = Uint8Array.of(0, 97, 115, 109, 9, 9, 9, 9)

const requestFor = (program, over = {}) => ({
  phase: "exec",
  projectId: "project",
  programId: programIdOf(program),
  program,
  args: [],
  envs: [["VM_MODE", "dr"]],
  gasLimit: 300_000_000_000_000n,
  limits: { ...defaultLimits, queueWaitMs: 600_000 },
  ...over
})

const kinds = {
  plain: plain.map((program) => requestFor(program)),
  fetching: [requestFor(fetching)],
  growing: [requestFor(growing)],
  trapping: [requestFor(trapping)],
  short: [requestFor(endless, { gasLimit: 10_000_000_000_000n })],
  invalid: [requestFor(invalid)],
  late: [requestFor(endless, { gasLimit: 2n ** 64n - 1n, limits: { ...defaultLimits, queueWaitMs: 600_000, execWallClockMs: 20 } })]
}

/** Mostly what ends well; one of 300 costs a worker its life, one of 50 loses its caller. */
const kindOf = (at) => {
  if (at % 300 === 299) return "late"
  return ["plain", "fetching", "plain", "growing", "plain", "trapping", "fetching", "short", "plain", "invalid"][at % 10]
}

const bytes = new TextEncoder().encode("x".repeat(2_000))
const http = Layer.succeed(HttpFetch, {
  fetch: ({ url: asked }) => Effect.succeed({ kind: "answered", status: 200, headers: [], bytes, url: asked, contentLength: bytes.length })
})
const machine = ManagedRuntime.make(layerProgramRuntime({ workers: 2, spareWorkers: 0, cachedPrograms: 32 }).pipe(Layer.provide(http)))

const ends = {}
const one = (at) =>
  Effect.gen(function* () {
    const runtime = yield* ProgramRuntime
    const kind = kindOf(at)
    const run = runtime.run(kinds[kind][Math.floor(at / 7) % kinds[kind].length])
    if (at % 50 === 24) {
      yield* Effect.timeoutOption(run, 1)
      return
    }
    const { exitCode } = yield* run
    const name = `${kind} ${exitCode}`
    ends[name] = (ends[name] ?? 0) + 1
  })

const threads = () => Number(/Threads:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0)

const sample = async () => {
  const readyWorkers = Effect.flatMap(ProgramRuntime, (runtime) => runtime.readyWorkers)
  // A worker that was replaced by the last runs may still be starting, and its predecessor ending.
  while ((await machine.runPromise(readyWorkers)) < 2) await new Promise((resolve) => setTimeout(resolve, 20))
  await new Promise((resolve) => setTimeout(resolve, 200))
  collect()
  const handles = process.getActiveResourcesInfo().filter((name) => name !== "Timeout" && name !== "Immediate").length
  const { heapUsed, rss } = process.memoryUsage()
  return { rssMib: Math.round(rss / 1_048_576), heapMib: Math.round(heapUsed / 1_048_576), threads: threads(), handles }
}

const seen = []
const ofSample = Math.ceil(runs / samples)
for (let part = 0; part < samples; part += 1) {
  const numbers = Array.from({ length: ofSample }, (_, at) => part * ofSample + at)
  await machine.runPromise(Effect.forEach(numbers, one, { concurrency: inFlight, discard: true }))
  seen.push(await sample())
}
await machine.dispose()
process.stdout.write(JSON.stringify({ ends, seen }))
