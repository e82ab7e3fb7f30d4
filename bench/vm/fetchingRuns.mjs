/**
 * A process that keeps 500 executions with one 20 ms fetch in flight, and in turns with them 500 of the same fetches alone, through
 * the same policed way out; it prints both rates and the most memory that it had in use as JSON.
 */
import { existsSync, readFileSync } from "node:fs"
import { layerHttpFetch } from "@sibyl/vm/http"
import { layerProgramRuntime } from "@sibyl/vm"
import { defaultLimits, HttpFetch, programIdOf, ProgramRuntime } from "@sibyl/core"
import { Effect, Layer, ManagedRuntime } from "effect"
import { fromUtf8, toHex } from "../../packages/core/dist/internal.js"

const [, , file, port] = process.argv
const inFlight = 500
const rounds = 5
const ofRound = 2_000
/** Bun's compilers have a third of a processor for the first twenty seconds of such a load. */
const warmUps = 15

const program = new Uint8Array(readFileSync(file))
const host = "hermes.pyth.network"
const btcUsd = "e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43"
const http = layerHttpFetch({ hostOverrides: { [host]: `http://127.0.0.1:${port}` } })
const machine = ManagedRuntime.make(Layer.provideMerge(layerProgramRuntime(), http))

let worstBytes = 0
const watch = setInterval(() => {
  worstBytes = Math.max(worstBytes, process.memoryUsage.rss())
}, 20)

/** Projects share the workers in turns; a service allows each 200 runs at once. */
const projectOf = (at) => `project ${at % 5}`

const request = {
  phase: "exec",
  programId: programIdOf(program),
  program,
  args: [toHex(fromUtf8(JSON.stringify({ id: btcUsd })))],
  envs: [["VM_MODE", "dr"]],
  gasLimit: 300_000_000_000_000n,
  limits: { ...defaultLimits, execWallClockMs: 60_000, httpRequestTimeoutMs: 30_000, httpRunBudgetMs: 30_000, queueWaitMs: 60_000 }
}

const execution = (at) =>
  Effect.flatMap(ProgramRuntime, (runtime) => runtime.run({ ...request, projectId: projectOf(at) })).pipe(
    Effect.map(({ exitCode, stderr }) => {
      if (exitCode !== 0) throw new Error(`a run failed: ${stderr}`)
    })
  )

const asked = {
  url: `https://${host}/v2/updates/price/latest?ids%5B%5D=${btcUsd}&parsed=true`,
  method: "GET",
  headers: [],
  body: new Uint8Array(),
  timeoutMs: 30_000,
  maxResponseBytes: 1_048_576
}

const alone = (at) =>
  Effect.flatMap(HttpFetch, (outside) => outside.fetch({ ...asked, projectId: projectOf(at) })).pipe(
    Effect.map((response) => {
      if (response.kind !== "answered" || response.status !== 200) throw new Error(`a fetch failed: ${JSON.stringify(response)}`)
    })
  )

/** Processor time of the main thread so far, in microseconds; only Linux tells it. */
const mainThreadUs = () => {
  const path = `/proc/${process.pid}/task/${process.pid}/schedstat`
  return existsSync(path) ? Number(readFileSync(path, "utf8").split(" ")[0]) / 1_000 : Number.NaN
}

/** The rate of so many, and the processor time of the main thread for one. */
const measured = async (work, count) => {
  const [startedAt, startedUs] = [performance.now(), mainThreadUs()]
  await machine.runPromise(
    Effect.forEach(
      Array.from({ length: count }, (_, at) => at),
      work,
      { concurrency: inFlight, discard: true }
    )
  )
  return { perS: (count / (performance.now() - startedAt)) * 1_000, mainUs: (mainThreadUs() - startedUs) / count }
}

const executions = []
const fetches = []
for (let warmUp = 0; warmUp < warmUps; warmUp += 1) {
  await measured(execution, ofRound)
  await measured(alone, ofRound)
}
for (let round = 0; round < rounds; round += 1) {
  executions.push(await measured(execution, ofRound))
  fetches.push(await measured(alone, ofRound))
}
clearInterval(watch)
await machine.dispose()

const best = (all) => Math.max(...all.map(({ perS }) => perS))
const least = (all) => Math.min(...all.map(({ mainUs }) => mainUs))
process.stdout.write(
  JSON.stringify({
    executionsPerS: best(executions),
    fetchesPerS: best(fetches),
    executionUs: least(executions),
    fetchUs: least(fetches),
    worstBytes
  })
)
