/** The services on which feeds are measured, each with a note of what in it does nothing. */
import {
  Entropy,
  Execution,
  layerDefaultPorts,
  layerMemoryStores,
  Network,
  openService,
  ProgramRuntime,
  ProgramStore,
  Keys,
  Provisioning,
  Signer
} from "@sibyl/core"
import { layerCoreServices } from "@sibyl/core/internal"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { Connections } from "../../packages/core/dist/edge/ws/connections.js"
import { layerRuntimeAlarm } from "../../packages/server/dist/service/runtimeAlarm.js"

const network = { name: "bench", chainId: "sibyl-1-bench" }
const options = { network, maxRunsInFlight: 1_000_000 }

/** 32 bytes, like the result of crypto-price. */
const result = new Uint8Array(32).fill(7)

const outcome = {
  exitCode: 0,
  exitMessage: "Ok",
  gasUsed: 1_000_000n,
  gasCharged: 1_000_000n,
  result,
  stdout: "",
  stderr: "",
  proxies: []
}

const openPorts = async (keys) => {
  const ports = ManagedRuntime.make(
    Layer.mergeAll(
      layerMemoryStores.pipe(Layer.provide(Layer.merge(Entropy.layer, Network.layer(network)))),
      ProgramStore.layerMemory,
      Signer.layerFromSecret(Redacted.make(new Uint8Array(32).fill(1))),
      Layer.succeed(ProgramRuntime, { run: () => Effect.succeed(outcome) })
    )
  )
  const { context } = await ports.runtime()
  const made = await ports.runPromise(
    Effect.gen(function* () {
      const provisioning = yield* Provisioning
      const { projectId } = yield* provisioning.createProject({ organizationSlug: "bench" })
      yield* provisioning.grant(projectId, 10n ** 18n)
      const issued = yield* Effect.replicateEffect((yield* Keys).issue(projectId), keys)
      return {
        keys: issued.map(({ key }) => Redacted.value(key)),
        programId: yield* (yield* ProgramStore).put(Uint8Array.of(1))
      }
    })
  )
  return { ...made, layer: Layer.merge(Layer.succeedContext(context), layerRuntimeAlarm) }
}

/** Everything is real except the program runtime, which answers at once: each run is held for, signed, charged and stored. */
export const openBenchService = async (keys) => {
  const ports = await openPorts(keys)
  return { ...ports, service: await openService(options, ports.layer) }
}

/** A report like that of a run, new for every run. */
const reportOf = ({ id, key, project }) => ({
  id,
  projectId: project.projectId,
  source: "feed",
  executedAtMs: Date.now(),
  durationMs: 1,
  dataRequest: {
    version: "0.0.1",
    execProgramId: key.execProgramId,
    execInputs: key.execInputs,
    execGasLimit: project.gasLimits.exec,
    tallyProgramId: key.tallyProgramId,
    tallyInputs: key.tallyInputs,
    tallyGasLimit: project.gasLimits.tally,
    replicationFactor: 1,
    consensusFilter: Uint8Array.of(0),
    gasPrice: 0n,
    memo: new Uint8Array()
  },
  dataResult: {
    version: "0.0.1",
    drId: "ab".repeat(32),
    consensus: true,
    exitCode: 0,
    result,
    blockHeight: 0n,
    blockTimestamp: BigInt(Date.now()),
    gasUsed: 2_000_000n,
    paybackAddress: new Uint8Array(),
    servicePayload: new Uint8Array()
  },
  signature: "cd".repeat(65),
  execute: { result, gasUsed: 1_000_000n, stdout: "", stderr: "", exitCode: 0 },
  tally: { result, gasUsed: 1_000_000n, stdout: "", stderr: "", exitCode: 0 },
  cost: { base: 1n, gas: 1n, dataProxies: 0n, total: 2n },
  proxies: []
})

const balance = { granted: 10n ** 18n, used: 0n, held: 0n, periodUsed: 0n }

/** Scheduler, connections and messages are real, the run does nothing: an execution is answered at once with a new report. */
export const openNoopEngine = async (keys) => {
  const ports = await openPorts(keys)
  const execution = Layer.succeed(Execution, {
    execute: (command) => Effect.sync(() => ({ report: reportOf(command), balance, cachedAgeMs: undefined })),
    check: () => Effect.void
  })
  const runtime = ManagedRuntime.make(
    Connections.layer.pipe(
      Layer.provide(execution),
      Layer.provideMerge(layerCoreServices(options)),
      Layer.provideMerge(ports.layer),
      Layer.provideMerge(layerDefaultPorts),
      Layer.provideMerge(Network.layer(network))
    )
  )
  const connections = await runtime.runPromise(Connections)
  return { ...ports, service: { upgrade: (request) => runtime.runPromise(connections.upgrade(request)) } }
}

/** The request that starts a feed. */
export const startRequest = (id, programId, { execute = {}, mode = "FIXED", periodMs = 1_000 } = {}) =>
  JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "feed.start",
    params: {
      mode,
      periodicityMs: periodMs,
      execute: { execProgramId: programId, execInputs: { id: "btc" }, ...execute }
    }
  })
