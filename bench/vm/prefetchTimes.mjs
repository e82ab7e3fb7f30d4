/** A process that times runs with one and three requests, and one request alone, in turns; prints the medians as JSON. */
import { HttpFetch, ProgramRuntime, defaultLimits, programIdOf } from "@sibyl/core"
import { call, drop, encodeModule, hostImport, i32Const } from "@sibyl/testing/wasm"
import { layerProgramRuntime } from "@sibyl/vm"
import { layerHttpFetch } from "@sibyl/vm/http"
import { Effect, Layer, ManagedRuntime } from "effect"

const port = process.argv[2]
const [warmUp, rounds] = [20, 100]
const urlOf = (at) => `http://upstream.bench/${at}`

/** A program that makes so many requests one after the other. */
const requesting = (count) => {
  const texts = Array.from({ length: count }, (_, at) => JSON.stringify({ url: urlOf(at), options: {} }))
  const placed = texts.map((text, at) => ({ offset: 1_024 * (at + 1), bytes: [...new TextEncoder().encode(text)] }))
  return encodeModule({
    imports: [hostImport.httpFetch, hostImport.procExit],
    memory: 1,
    data: placed,
    functions: [
      {
        code: [
          ...placed.flatMap(({ bytes, offset }) => [...i32Const(offset), ...i32Const(bytes.length), ...call(0), drop]),
          ...i32Const(0),
          ...call(1)
        ]
      }
    ]
  })
}

const http = layerHttpFetch({ hostOverrides: { "upstream.bench": `http://127.0.0.1:${port}` } })
const runtime = ManagedRuntime.make(layerProgramRuntime({ workers: 1 }).pipe(Layer.provideMerge(http)))

const requestOf = (count, httpPrefetches) => {
  const program = requesting(count)
  return {
    phase: "exec",
    // Each case remembers its own requests.
    projectId: `${count} ${httpPrefetches}`,
    programId: programIdOf(program),
    program,
    args: [],
    envs: [["VM_MODE", "exec"]],
    gasLimit: 300_000_000_000_000n,
    limits: { ...defaultLimits, httpPrefetches }
  }
}

const running = (request, prefetched) =>
  Effect.flatMap(ProgramRuntime, (programs) =>
    Effect.tap(programs.run(request), ({ exitCode, prefetch }) =>
      exitCode === 0 && (prefetched === undefined || prefetch === undefined || prefetch.used === prefetched)
        ? Effect.void
        : Effect.dieMessage("the run is not what is measured")
    )
  )

const alone = Effect.flatMap(HttpFetch, (client) =>
  client.fetch({
    projectId: "alone",
    url: urlOf(0),
    method: "GET",
    headers: [],
    body: new Uint8Array(),
    timeoutMs: 2_000,
    maxResponseBytes: 1_048_576
  })
)

const cases = {
  alone,
  one: running(requestOf(1, 10), 1),
  three: running(requestOf(3, 10), 3),
  oneAfterAnother: running(requestOf(3, 0))
}

const times = Object.fromEntries(Object.keys(cases).map((name) => [name, []]))
for (let round = 0; round < warmUp + rounds; round += 1) {
  for (const [name, effect] of Object.entries(cases)) {
    const startedAt = performance.now()
    await runtime.runPromise(effect)
    if (round >= warmUp) times[name].push(performance.now() - startedAt)
  }
}
await runtime.dispose()

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
process.stdout.write(JSON.stringify(Object.fromEntries(Object.entries(times).map(([name, values]) => [name, median(values)]))))
