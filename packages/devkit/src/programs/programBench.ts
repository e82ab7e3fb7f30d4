/** A bench for programs: a whole service over stores in memory and the real VM, with environments that tests control. */
import {
  DataProxies,
  type DataProxyInput,
  defaultTariff,
  Entropy,
  HttpFetch,
  Keys,
  layerMemoryStores,
  localNetwork,
  Network,
  type NetworkIdentity,
  openService,
  Pricing,
  type ProgramRuntime,
  ProgramStore,
  Provisioning,
  type Service,
  type ServiceOptions,
  Signer,
  type Tariff
} from "@sibyl/core"
import { checkNames, fromUtf8 } from "@sibyl/core/internal"
import { layerProxiedProgramRuntime, type Profiling } from "@sibyl/vm"
import { Cause, Effect, Exit, Layer, ManagedRuntime, Redacted } from "effect"
import { type RunEnvironment, layerInEnvironments, layerObservedHttp, layerRememberedResults } from "./runEnvironment.ts"
import { outcomeOfAnswer, type ProgramOutcome } from "./programOutcome.ts"
import type { ProgramRun } from "./programRun.ts"
import { unfitInput } from "./runInput.ts"

/** Options of the bench. Everything has a default. */
export interface BenchOptions {
  /** What runs the programs. Default: the VM in threads of this process, which ask `http` and data proxies. */
  readonly machine?: Layer.Layer<ProgramRuntime>
  /** HTTP for runs without their own answers. Default: closed. */
  readonly http?: Layer.Layer<HttpFetch>
  readonly service?: Partial<ServiceOptions>
  readonly tariff?: Partial<Tariff>
  /** The registered data proxies. Default: none. */
  readonly proxies?: ReadonlyArray<DataProxyInput>
  /** Worker threads. Default 1. */
  readonly workers?: number
  /** The source of `random_get`, 32 bytes. Default: zeros, so that tests are reproducible. */
  readonly entropy?: Effect.Effect<Uint8Array>
  /** Whether each phase runs once more after its end, to tell where its gas went. Default: no. */
  readonly profile?: boolean
}

const names: Readonly<Record<keyof BenchOptions, true>> = {
  machine: true,
  http: true,
  service: true,
  tariff: true,
  proxies: true,
  workers: true,
  entropy: true,
  profile: true
}

/** The bench refused what it was given (400), or the service the request, as it would refuse a client's: an input breaks a rule, or is too large. */
export class ProgramRunRefused extends Error {
  readonly _tag = "ProgramRunRefused"
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.name = "ProgramRunRefused"
    this.status = status
  }
}

/** An open bench. Runs may overlap. */
export interface ProgramBench {
  /** Runs both phases. Rejects with a {@link ProgramRunRefused}; whatever a program does is an outcome. */
  readonly run: (run: ProgramRun) => Promise<ProgramOutcome>
  readonly close: () => Promise<void>
}

const zeros = Effect.sync(() => new Uint8Array(32))

/** The profiles of each run go to its environment. */
const profilingOf = (environments: ReadonlyMap<string, RunEnvironment>): Profiling => ({
  symbols: ({ programId, projectId }) => {
    const environment = environments.get(projectId)
    return programId === environment?.programId ? environment.symbols : undefined
  },
  onProfile: ({ projectId }, profile) => void environments.get(projectId)?.profiles.push(profile)
})

const layerBench = (
  { entropy = zeros, http = HttpFetch.layerClosed, machine: given, proxies = [], tariff, workers = 1, profile = false }: BenchOptions,
  network: NetworkIdentity,
  environments: ReadonlyMap<string, RunEnvironment>
) => {
  const machine = Layer.provide(
    layerInEnvironments(environments),
    given ??
      layerProxiedProgramRuntime({ workers, entropy, ...(profile ? { profiling: profilingOf(environments) } : {}) }).pipe(
        Layer.provide(layerObservedHttp),
        Layer.provide(http)
      )
  )
  const stores = Layer.provideMerge(layerRememberedResults(environments), layerMemoryStores)
  const signer = Signer.layerFromSecret(Redacted.make(new Uint8Array(32).fill(1)))
  return machine.pipe(
    Layer.provideMerge(Layer.merge(DataProxies.layerMemory(proxies), signer)),
    Layer.merge(Layer.provide(stores, Entropy.layer)),
    Layer.merge(ProgramStore.layerMemory),
    Layer.provide(Network.layer(network)),
    Layer.merge(Pricing.layerFromTariff({ ...defaultTariff, ...tariff }))
  )
}

/** More than any run can cost. */
const enoughCredits = 10n ** 30n

const bodyOf = (run: ProgramRun, execProgramId: string, tallyProgramId: string): Uint8Array =>
  fromUtf8(
    JSON.stringify({
      execProgramId,
      tallyProgramId,
      execInputs: run.execInputs,
      tallyInputs: run.tallyInputs,
      inputEncoding: run.inputEncoding,
      injectLastResult: run.lastResult === undefined ? "none" : "last",
      includeDebugInfo: true,
      includeSummary: true,
      encoding: "hex"
    })
  )

const refusalOf = (status: number, answer: unknown): ProgramRunRefused => {
  const told = typeof answer === "object" && answer !== null && "message" in answer
  return new ProgramRunRefused(status, told ? String(answer.message) : "no answer")
}

const asked = async (service: Service, key: string, body: Uint8Array, environment: RunEnvironment) => {
  const headers: Readonly<Record<string, string>> = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "content-length": String(body.length)
  }
  const response = await service.fetch({
    method: "POST",
    url: "/execute",
    header: (name) => headers[name.toLowerCase()],
    body: () => Promise.resolve(body)
  })
  const text = response === undefined ? "null" : response.body
  const answer: unknown = JSON.parse(typeof text === "string" ? text : new TextDecoder().decode(text))
  const status = response?.status ?? 404
  if (status !== 200 && status !== 599) throw refusalOf(status, answer)
  return outcomeOfAnswer(answer, environment)
}

/** Opens a bench. Close it, or its workers keep the process alive. Rejects with an `InvalidOption` that names a misspelled option. */
export const openProgramBench = async (options: BenchOptions = {}): Promise<ProgramBench> => {
  checkNames(options, names)
  const network = options.service?.network ?? localNetwork
  const environments = new Map<string, RunEnvironment>()
  const ports = ManagedRuntime.make(layerBench(options, network, environments))
  const { context } = await ports.runtime()
  const service = await openService({ ...options.service, network }, Layer.succeedContext(context))

  const prepared = (run: ProgramRun) =>
    Effect.gen(function* () {
      const programs = yield* ProgramStore
      const provisioning = yield* Provisioning
      const execId = yield* programs.put(run.program)
      const tallyId = run.tallyProgram === undefined ? execId : yield* programs.put(run.tallyProgram)
      const { gasLimits } = run
      const { projectId } = yield* provisioning.createProject({
        organizationSlug: "bench",
        ...(gasLimits === undefined ? {} : { gasLimits })
      })
      yield* provisioning.grant(projectId, enoughCredits)
      const { key } = yield* Effect.flatMap(Keys, (keys) => keys.issue(projectId))
      return { projectId, programId: execId, key: Redacted.value(key), body: bodyOf(run, execId, tallyId) }
    })

  return {
    run: async (run) => {
      const unfit = unfitInput(run)
      if (unfit !== undefined) throw new ProgramRunRefused(400, unfit)
      const exit = await ports.runPromiseExit(prepared(run))
      if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
      const { body, key, programId, projectId } = exit.value
      const environment: RunEnvironment = {
        answer: run.http,
        clockMs: run.clockMs,
        last: run.lastResult,
        programId,
        symbols: run.symbols,
        calls: [],
        profiles: [],
        fault: undefined
      }
      environments.set(projectId, environment)
      try {
        const outcome = await asked(service, key, body, environment)
        if (environment.fault !== undefined) throw environment.fault
        return outcome
      } finally {
        environments.delete(projectId)
      }
    },
    close: async () => {
      await service.dispose()
      await ports.dispose()
    }
  }
}
