/** A test service: a project with a key, two programs, memory stores, a scripted runtime, and a ledger with a record of calls. */
import { Context, Effect, Layer, Logger, Redacted } from "effect"
import { type Project, resolveProject } from "../domain/accounts/project.ts"
import { defaultLimits } from "../domain/settings/limits.ts"
import type { Service, ServiceRequest } from "../edge/transport/seam.ts"
import { openService } from "../edge/service.ts"
import { Entropy } from "../ports/entropy.ts"
import { Keys } from "../ports/keys.ts"
import { Ledger } from "../ports/ledger.ts"
import { layerMemoryStores } from "../ports/memory/memoryStores.ts"
import { Network } from "../ports/network.ts"
import { type PhaseRequest, ProgramRuntime } from "../ports/programRuntime.ts"
import { ProgramNames } from "../ports/programNames.ts"
import { ProgramStore } from "../ports/programStore.ts"
import { type NewProject, Provisioning } from "../ports/provisioning.ts"
import { Signer } from "../ports/signer.ts"
import {
  type CoreServices,
  type DefaultedPorts,
  layerDefaultPorts,
  layerCoreServices,
  type RequiredPorts
} from "../services/coreServices.ts"
import type { ExecutionRequest } from "../services/execution.ts"
import { Pricing } from "../services/phases/pricing.ts"
import type { ServiceOptions } from "../services/settings/serviceOptions.ts"
import { allWell, type Script, scriptedRuntime } from "./scriptedRuntime.ts"
import { bytesOf, golden } from "./vectors.ts"

/** The initial state; by default a million credits and a runtime in which every phase succeeds. */
export interface TestServiceSetup {
  readonly script?: Script
  /** Whether the runtime runs both phases of a run in one order. */
  readonly inOneOrder?: boolean
  readonly credits?: bigint
  readonly project?: Omit<NewProject, "organizationSlug">
  readonly options?: Partial<ServiceOptions>
  readonly pricing?: Layer.Layer<Pricing>
  /** For the stores and the service; by default the runtime's own. */
  readonly entropy?: Layer.Layer<Entropy>
}

/** What a test can access. */
export interface TestService {
  readonly project: Project
  readonly key: string
  readonly execProgramId: string
  readonly tallyProgramId: string
  /** Every phase that was run. */
  readonly requests: ReadonlyArray<PhaseRequest>
  /** The calls of the ledger, in order: `hold`, `refused`, `renew`, `settle`, `void`. */
  readonly ledgerCalls: ReadonlyArray<string>
  readonly provisioning: Context.Tag.Service<Provisioning>
  readonly keys: Context.Tag.Service<Keys>
  readonly names: Context.Tag.Service<ProgramNames>
  /** A request of both programs, each with its own id. */
  readonly command: (fields?: Partial<Omit<ExecutionRequest, "project">> & { readonly project?: Project }) => ExecutionRequest
}

const oneCredit = { base: 1n, gas: 0n, dataProxies: 0n, total: 1n }

/** One credit for every run: hold and price are the same. */
export const layerTestPricing: Layer.Layer<Pricing> = Layer.succeed(Pricing, {
  worst: () => oneCredit,
  gasPerWorkerMs: 0n,
  price: () => oneCredit
})

const network = { name: "testnet", chainId: "seda-1-testnet" }

const watched = (ledger: Context.Tag.Service<Ledger>, calls: Array<string>): Context.Tag.Service<Ledger> => {
  const note = (call: string) => Effect.sync(() => calls.push(call))
  return {
    balance: ledger.balance,
    hold: (...args) => ledger.hold(...args).pipe(Effect.tapBoth({ onFailure: () => note("refused"), onSuccess: () => note("hold") })),
    renew: (...args) => Effect.tap(ledger.renew(...args), note("renew")),
    settle: (...args) => Effect.tap(ledger.settle(...args), note("settle")),
    settleChosen: (...args) => Effect.tap(ledger.settleChosen(...args), note("settle")),
    void: (hold) => Effect.tap(ledger.void(hold), note("void"))
  }
}

const storesWith = (entropy: Layer.Layer<Entropy>) =>
  Layer.mergeAll(
    layerMemoryStores,
    ProgramStore.layerMemory,
    Signer.layerFromSecret(Redacted.make(bytesOf(golden.testKey.privateKey)))
  ).pipe(Layer.provide(Layer.merge(entropy, Network.layer(network))))

/** Makes a test service and the layer of its service. */
const makeTestService = (setup: TestServiceSetup) =>
  Effect.gen(function* () {
    const { requests, runtime } = scriptedRuntime(setup.script ?? allWell, setup.inOneOrder)
    const ledgerCalls: Array<string> = []
    const { entropy = Entropy.layer, pricing } = setup
    const built = yield* Layer.build(storesWith(entropy))
    const provisioning = Context.get(built, Provisioning)
    const keys = Context.get(built, Keys)
    const programs = Context.get(built, ProgramStore)
    const execProgramId = yield* programs.put(Uint8Array.of(1))
    const tallyProgramId = yield* programs.put(Uint8Array.of(2))
    const project = yield* Effect.orDie(provisioning.createProject({ organizationSlug: "acme", ...setup.project }))
    const { key } = yield* Effect.orDie(keys.issue(project.projectId))
    yield* Effect.orDie(provisioning.grant(project.projectId, setup.credits ?? 1_000_000n))
    const ports = Layer.succeedContext(
      built.pipe(Context.add(Ledger, watched(Context.get(built, Ledger), ledgerCalls)), Context.add(ProgramRuntime, runtime))
    )
    let runs = 0
    const limits = { ...defaultLimits, ...setup.options?.limits }
    const command: TestService["command"] = ({ project: payer = project, ...fields } = {}) => ({
      id: `00000000-0000-4000-8000-${String((runs += 1)).padStart(12, "0")}`,
      project: resolveProject(payer, limits),
      source: "rest",
      key: { execProgramId, execInputs: new Uint8Array(), tallyProgramId, tallyInputs: new Uint8Array() },
      injectLastResult: "none",
      returnLastResult: false,
      maxAgeSeconds: undefined,
      ...fields
    })
    const testService: TestService = {
      project,
      key: Redacted.value(key),
      execProgramId,
      tallyProgramId,
      requests,
      ledgerCalls,
      provisioning,
      keys,
      command,
      names: Context.get(built, ProgramNames)
    }
    // A test in which years pass would wait for every hour's sweep of old reports.
    const options: ServiceOptions = { network, retentionMs: null, reportsPerProject: null, ...setup.options }
    const replaced = pricing === undefined ? ports : Layer.merge(ports, pricing)
    return { testService, options, ports: Layer.merge(replaced, entropy) }
  })

/** Runs a test in a new test service, over the services alone; they are released afterwards. */
export const withTestService = <A, E>(
  setup: TestServiceSetup,
  test: (testService: TestService) => Effect.Effect<A, E, CoreServices | RequiredPorts | DefaultedPorts>
): Effect.Effect<A, E> =>
  Effect.scoped(
    Effect.flatMap(makeTestService(setup), ({ options, ports, testService }) =>
      Effect.provide(test(testService), layerCoreServices(options).pipe(Layer.provideMerge(ports), Layer.provideMerge(layerDefaultPorts)))
    )
  )

/** The required ports of a test service, by tag. */
export type TestServicePorts = Context.Context<RequiredPorts>

/** A test service whose service is open, as an adapter has it. Its log is not printed. */
export interface OpenTestService extends TestService {
  readonly service: Service
  /** Opens another service over the same stores; `changed` makes replacements from them. */
  readonly openAnother: (changed?: (stores: TestServicePorts) => Layer.Layer<RequiredPorts>) => Promise<Service>
}

/** Makes a test service and opens its service. */
export const openTestService = async (setup: TestServiceSetup = {}): Promise<OpenTestService> => {
  const { options, ports, testService } = await Effect.runPromise(Effect.scoped(makeTestService(setup)))
  const openAnother: OpenTestService["openAnother"] = async (changed = Layer.succeedContext) => {
    const context = await Effect.runPromise(Effect.scoped(Layer.build(ports)))
    return openService(options, Layer.merge(changed(context), Logger.remove(Logger.defaultLogger)))
  }
  return { ...testService, openAnother, service: await openAnother() }
}

/** A request as an adapter would pass it. Header names are in lower case; a body is JSON by default. */
export const seamRequest = (
  method: string,
  url: string,
  fields: {
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string | Uint8Array
    readonly signal?: AbortSignal
  } = {}
): ServiceRequest => {
  const headers = new Map(
    Object.entries({ ...(fields.body === undefined ? {} : { "content-type": "application/json" }), ...fields.headers })
  )
  const body = typeof fields.body === "string" ? new TextEncoder().encode(fields.body) : (fields.body ?? new Uint8Array())
  return {
    method,
    url,
    header: (name) => headers.get(name.toLowerCase()),
    body: () => Promise.resolve(body),
    ...(fields.signal === undefined ? {} : { signal: fields.signal })
  }
}
