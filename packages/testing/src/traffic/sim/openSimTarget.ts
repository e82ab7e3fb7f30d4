/** A target without sockets and without waiting: a whole service over your stores or those in memory, on simulated time. */
import {
  DataProxies,
  Entropy,
  Keys,
  layerMemoryStores,
  type Limits,
  type MemoryStores,
  Network,
  openService,
  ProgramStore,
  Provisioning,
  type RequiredPorts,
  type Service,
  Signer
} from "@sibyl/core"
import { type Context, Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { auditPrograms } from "../../audits/programs/auditPrograms.ts"
import { makeSimClock, type SimClock } from "../../clock/simClock.ts"
import { ServiceWire } from "../play/serviceWire.ts"
import { trafficOperatorOf } from "../play/trafficOperator.ts"
import type { TrafficTarget } from "../play/trafficTarget.ts"
import { type Life, mortalClock, mortalContext } from "./mortalPorts.ts"
import { layerPlayedMachine, playedAskingProgram } from "./playedMachine.ts"

/** The ports of a simulated service. */
export type SimPorts = RequiredPorts | MemoryStores | DataProxies

/** What is different from a service over stores in memory. */
export interface SimTargetOptions {
  /** Your stores, empty; made anew for each sequence. Default: those in memory. */
  readonly stores?: (() => Layer.Layer<MemoryStores, never, Entropy | Network>) | undefined
  /** Changes ports: for faults that the auditor has to find. */
  readonly ports?: ((ports: Context.Context<SimPorts>) => Context.Context<SimPorts>) | undefined
  /** Changes the service as its clients see it: for other faults. */
  readonly service?: ((service: Service) => Service) | undefined
  readonly limits?: Partial<Limits> | undefined
}

const network = { name: "test", chainId: "sibyl-1-test" } as const

/** Publicly known, so that signatures can be compared: thirty-two bytes of 0x01. */
const testSecret = Redacted.make(new Uint8Array(32).fill(1))

/** Overlapping runs of a PARALLEL feed: few, so that sequences reach the limit. */
export const simFeedOverlap = 3

/** One service from its begin to its end, with every life in between. */
class SimWorld {
  readonly clock: SimClock = makeSimClock()
  readonly wire = new ServiceWire(() => this.#current())
  readonly #options: SimTargetOptions
  readonly #ports: ManagedRuntime.ManagedRuntime<SimPorts, never>
  #service: Service | undefined
  #life: Life = { isOver: false }
  isUpstreamUp = true

  constructor(options: SimTargetOptions) {
    this.#options = options
    const { stores = () => layerMemoryStores } = options
    const ports = Layer.mergeAll(
      Layer.provide(stores(), Layer.merge(Entropy.layer, Network.layer(network))),
      ProgramStore.layerMemory,
      DataProxies.layerMemory(),
      Signer.layerFromSecret(testSecret),
      layerPlayedMachine(() => this.isUpstreamUp)
    )
    this.#ports = ManagedRuntime.make(Layer.provideMerge(ports, this.clock.layer))
  }

  #current(): Service {
    if (this.#service === undefined) throw new Error("the service is not open")
    return this.#service
  }

  /** Runs on the ports, as an operator beside the service would. */
  run<A, E>(effect: Effect.Effect<A, E, SimPorts>): Promise<A> {
    return this.#ports.runPromise(effect)
  }

  /** Begins a life of the service. */
  async open(): Promise<void> {
    this.#life = { isOver: false }
    const life = this.#life
    const { limits, ports = (same) => same, service = (same) => same } = this.#options
    const { context } = await this.#ports.runtime()
    const layer = Layer.mergeAll(
      Layer.succeedContext(mortalContext(ports(context), life)),
      Layer.setClock(mortalClock(this.clock, life)),
      Layer.setScheduler(this.clock.scheduler)
    )
    this.#service = service(await openService({ network, limits: { feedOverlap: simFeedOverlap, ...limits } }, layer))
  }

  /** Ends it without grace and begins another. */
  async crash(): Promise<void> {
    this.kill()
    await this.open()
  }

  /** Ends it without grace. */
  kill(): void {
    this.#life.isOver = true
    this.wire.cut()
  }
}

const provision = <A, E>(world: SimWorld, use: (provisioning: Provisioning["Type"]) => Effect.Effect<A, E>): Promise<A> =>
  world.run(Effect.flatMap(Provisioning, use))

const withKeys = <A, E>(world: SimWorld, use: (keys: Keys["Type"]) => Effect.Effect<A, E>): Promise<A> =>
  world.run(Effect.flatMap(Keys, use))

/** What makes projects, keys and programs in a world. */
const provisionerOf = (current: () => SimWorld) => ({
  deploy: (program: Uint8Array) => current().run(Effect.flatMap(ProgramStore, (store) => store.put(program))),
  createProject: (project: Parameters<Provisioning["Type"]["createProject"]>[0]) =>
    provision(current(), (provisioning) => provisioning.createProject(project)),
  issueKey: async (projectId: string) => Redacted.value((await withKeys(current(), (keys) => keys.issue(projectId))).key),
  revokeKey: (apiKeyId: string) => withKeys(current(), (keys) => Effect.asVoid(keys.revoke(apiKeyId))),
  grant: (projectId: string, credits: bigint) => provision(current(), (provisioning) => provisioning.grant(projectId, credits))
})

/**
 * A target for `conforms`: core's own service over the stores, with a machine that plays the kit's programs, where a minute takes a
 * millisecond. It has an operator, a clock, an upstream, and can be killed: what a dead process had under way never comes back.
 */
export const openSimTarget = (options: SimTargetOptions = {}): TrafficTarget => {
  let world = new SimWorld(options)
  const current = (): SimWorld => world
  const provisioner = provisionerOf(current)
  const ids: Record<string, string> = {}
  return {
    baseUrl: "http://in-this-process",
    wire: { ask: (request) => world.wire.ask(request), connect: (headers, ears) => world.wire.connect(headers, ears) },
    programs: ids,
    hasTickets: true,
    operator: trafficOperatorOf(provisioner),
    clock: { nowMs: () => world.clock.nowMs(), pass: (ms) => world.clock.play(ms) },
    upstream: {
      get programId() {
        return ids["asking"] ?? ""
      },
      fail: async () => void (world.isUpstreamUp = false),
      recover: async () => void (world.isUpstreamUp = true)
    },
    crash: () => world.crash(),
    begin: async () => {
      world = new SimWorld(options)
      for (const [name, program] of Object.entries(auditPrograms)) ids[name] = await provisioner.deploy(program)
      ids["asking"] = await provisioner.deploy(playedAskingProgram)
      await world.open()
    },
    end: async () => world.kill(),
    toleranceMs: 1,
    feedOverlap: simFeedOverlap
  }
}
