/** What core itself costs: whole runs by `service.fetch` on stores in memory, with a runtime and a signer that answer at once. */
import { readFileSync } from "node:fs"
import { Entropy, Keys, layerMemoryStores, Network, openService, ProgramRuntime, ProgramStore, Provisioning, Signer } from "@sibyl/core"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { layerTurnScheduler } from "../../packages/server/dist/service/turnScheduler.js"
import { seamRequest } from "./oracle.mjs"

const rounds = 12
const runsPerRound = 1_500
const atOnce = 32
const network = { name: "bench", chainId: "sibyl-1-bench" }

const outcome = {
  exitCode: 0,
  exitMessage: "Ok",
  gasUsed: 1_000_000n,
  gasCharged: 1_000_000n,
  result: new Uint8Array(32).fill(7),
  stdout: "",
  stderr: "",
  proxies: []
}

const both = { exec: outcome, tally: { consensus: true, phase: outcome } }

/** A worker's answer comes in a later turn of the event loop; so does this one. */
const answersNextTurn = Effect.async((resume) => void setImmediate(() => resume(Effect.succeed(both))))

const ports = ManagedRuntime.make(
  Layer.mergeAll(
    layerMemoryStores.pipe(Layer.provide(Layer.merge(Entropy.layer, Network.layer(network)))),
    ProgramStore.layerMemory,
    Layer.succeed(Signer, { publicKey: "02".padEnd(66, "0"), sign: () => Effect.succeed(new Uint8Array(65)), signNow: () => undefined }),
    Layer.succeed(ProgramRuntime, { run: () => Effect.succeed(outcome), runBoth: () => answersNextTurn })
  )
)
const { context } = await ports.runtime()
const { key, programId } = await ports.runPromise(
  Effect.gen(function* () {
    const provisioning = yield* Provisioning
    const { projectId } = yield* provisioning.createProject({ organizationSlug: "bench" })
    yield* provisioning.grant(projectId, 10n ** 18n)
    return {
      key: Redacted.value((yield* (yield* Keys).issue(projectId)).key),
      programId: yield* (yield* ProgramStore).put(new Uint8Array(4_096))
    }
  })
)
const service = await openService({ network }, Layer.merge(Layer.succeedContext(context), layerTurnScheduler()))

const request = seamRequest(`/execute?execProgramId=${programId}&execInputs=bench`, `Bearer ${key}`)

/** Processor time of the main thread, in microseconds: Linux tells it; elsewhere the threads of the collector are counted too. */
const processorUs = () => {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1_000
  } catch {
    const { system, user } = process.cpuUsage()
    return system + user
  }
}

const oneRound = async () => {
  let left = runsPerRound
  const before = processorUs()
  const caller = async () => {
    while (left > 0) {
      left -= 1
      const response = await service.fetch(request)
      if (response?.status !== 200) throw new Error(`the run failed: ${response?.body}`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, caller))
  return (processorUs() - before) / runsPerRound
}

// The least of all rounds: whatever else the machine does only adds to them.
let processorUsPerRun = Number.POSITIVE_INFINITY
for (let round = 0; round < rounds; round += 1) processorUsPerRun = Math.min(processorUsPerRun, await oneRound())
process.stdout.write(JSON.stringify({ processorUsPerRun }))
process.exit()
