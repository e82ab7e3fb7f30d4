/** One simulated server: a process that opens a service over the stores, is drained, crashes, and starts again. */
import { Entropy, FeedRelay, Network, openService, type Service, type ServiceOptions } from "@sibyl/core"
import { Layer, Logger } from "effect"
import type { SimClock } from "../../clock/simClock.ts"
import type { SimulatedDatabase } from "./database.ts"
import type { Faults } from "./faults.ts"
import { Gate } from "./gate.ts"
import { ProcessTime } from "./processTime.ts"
import type { Programs } from "./programs.ts"
import { layerQuickSigner } from "./quickSigner.ts"
import { simulatedLimits } from "./tenants.ts"

/** What all servers of a simulation share. */
export interface ServerGround {
  readonly clock: SimClock
  readonly database: SimulatedDatabase
  readonly entropy: Entropy["Type"]
  readonly faults: Faults
  readonly programs: Programs
  readonly network: { readonly name: string; readonly chainId: string }
  /** Whether the runtime runs both phases in one order. */
  readonly inOneOrder: boolean
  /** What carries shared feeds between the servers; undefined for one server. */
  readonly relay: FeedRelay["Type"] | undefined
  /** Called when a process has crashed. */
  readonly crashed: (server: SimServer) => void
}

/** One life of a process. */
export interface Life {
  /** Unique among all lives of all servers. */
  readonly name: string
  readonly time: ProcessTime
  readonly gate: Gate
  readonly service: Service
}

/** What to do until the service is open; it resolves early if the process dies meanwhile. */
export type Await = <A>(promise: Promise<A>, what: string, isOver?: () => boolean) => Promise<A | undefined>

/** One server. */
export class SimServer {
  readonly name: string
  readonly #ground: ServerGround
  #lives = 0
  #life: Life | undefined
  isDraining = false
  crashes = 0
  /** When each life was killed, in monotonic ms. */
  readonly killedAtMs = new Map<string, number>()
  /** When each life began to drain. */
  readonly drainedAtMs = new Map<string, number>()

  constructor(name: string, ground: ServerGround) {
    this.name = name
    this.#ground = ground
  }

  /** The life that is up; undefined while the process is down. */
  get life(): Life | undefined {
    return this.#life
  }

  /** Starts the process. Returns the name of its life; undefined if it did not come up. */
  async start(awaited: Await): Promise<string | undefined> {
    const { clock, database, entropy, faults, inOneOrder, network, programs } = this.#ground
    this.#lives += 1
    const name = `${this.name}${this.#lives}`
    const time = new ProcessTime(clock)
    const gate: Gate = new Gate(time, faults, () => this.#killed(name, time, gate))
    const layerEntropy = Layer.succeed(Entropy, entropy)
    const stores = Layer.provide(await database.open(gate, time), Layer.merge(layerEntropy, Network.layer(network)))
    const beside = Layer.mergeAll(time.layer, Logger.remove(Logger.defaultLogger), layerEntropy, this.#layerRelay(time))
    const ports = Layer.provideMerge(Layer.mergeAll(stores, programs.layer(name, inOneOrder), layerQuickSigner), beside)
    const options: ServiceOptions = { network, limits: simulatedLimits, maxRunsInFlight: 40, retentionMs: null, reportsPerProject: null }
    // Stores that do not answer keep it from starting.
    const opening = openService(options, ports).catch((cause: unknown) => {
      if (!String(cause).includes("StoreUnavailable")) throw cause
      return undefined
    })
    const service = await awaited(opening, `server ${name} to open`, () => !time.isAlive)
    if (service === undefined || !time.isAlive) {
      time.kill()
      database.killed(gate)
      return undefined
    }
    this.#life = { name, time, gate, service }
    this.isDraining = false
    return name
  }

  #layerRelay(time: ProcessTime): Layer.Layer<FeedRelay> {
    const { relay } = this.#ground
    if (relay === undefined) return FeedRelay.layerAlone
    return Layer.succeed(FeedRelay, {
      ...relay,
      subscribe: (feedKey, onNews) =>
        relay.subscribe(feedKey, (news) => {
          if (time.isAlive) onNews(news)
        })
    })
  }

  #killed(name: string, time: ProcessTime, gate: Gate): void {
    this.crashes += 1
    time.kill()
    this.killedAtMs.set(name, this.#ground.clock.nowMs())
    this.#ground.database.killed(gate)
    this.#life = undefined
    this.isDraining = false
    this.#ground.crashed(this)
  }

  /** Kills the process at once. */
  crash(): void {
    const life = this.#life
    if (life !== undefined) this.#killed(life.name, life.time, life.gate)
  }

  /** Drains the service, as a server does when it is told to end. */
  async drain(awaited: Await): Promise<void> {
    const life = this.#life
    if (life === undefined) return
    this.isDraining = true
    this.drainedAtMs.set(life.name, this.#ground.clock.nowMs())
    await awaited(life.service.dispose(), `server ${life.name} to drain`, () => !life.time.isAlive)
    if (this.#life !== life) return
    life.time.kill()
    this.#ground.database.killed(life.gate)
    this.#life = undefined
    this.isDraining = false
    this.#ground.crashed(this)
  }
}
