/** One simulated world: servers over one database, tenants and their clients, and everything that is seen of them. */
import { entropyOf, FeedRelay } from "@sibyl/core"
import { Effect } from "effect"
import { makeSimClock, type SimClock } from "../../clock/simClock.ts"
import type { SimulatedDatabase } from "./database.ts"
import { Faults } from "./faults.ts"
import { makeMemoryDatabase } from "./memoryDatabase.ts"
import { type Operator, operatorOn } from "./operator.ts"
import { Programs } from "./programs.ts"
import { readAnswer, type RestPlan, type RestRequest, serviceRequestFor, tagOf } from "./restRequest.ts"
import { SeededRandom } from "./seededRandom.ts"
import { type Life, SimServer } from "./simServer.ts"
import { type Deployed, deployPrograms, makeTenant, type Tenant, type TenantKey } from "./tenants.ts"
import { Trace } from "./trace.ts"
import { Findings } from "./violation.ts"
import { WireSocket } from "./wireSocket.ts"

/** What a database for a simulation is made with. */
export interface DatabaseGround {
  readonly network: string
  readonly clock: SimClock
  readonly entropy: ReturnType<typeof entropyOf>
  readonly random: SeededRandom
  readonly faults: Faults
  readonly servers: number
}

/** Makes the stores of one simulation. */
export type MakeDatabase = (ground: DatabaseGround) => Promise<SimulatedDatabase>

/** Stores in memory; two servers are not told what the other one has changed, except in some worlds. */
export const inMemory: MakeDatabase = ({ entropy, network, random, servers }) =>
  makeMemoryDatabase({ entropy, network, tellsFreshness: servers === 1 || random.percent(50) })

const network = { name: "simulated", chainId: "sibyl-1-simulated" } as const

/** How long anything may take before it counts as hanging, in virtual ms: longer than a drain waits, and than a store is waited for. */
const hangsAfterMs = 100_000

/** One world. */
export class World {
  readonly clock: SimClock
  readonly random: SeededRandom
  readonly faults: Faults
  readonly findings = new Findings()
  readonly trace: Trace
  readonly programs: Programs
  readonly database: SimulatedDatabase
  readonly operator: Operator
  /** Whether its operator takes credits back and changes usage limits, as in every tenth world: steps of the other worlds are drawn as if there were no such steps. */
  readonly withdraws: boolean
  readonly servers: Array<SimServer> = []
  readonly tenants: Array<Tenant> = []
  readonly requests: Array<RestRequest> = []
  readonly sockets: Array<WireSocket> = []
  /** When the wall clock was stepped, in monotonic ms, and by how much in all. */
  readonly stepsAtMs: Array<number> = []
  steppedByMs = 0
  /** All steps back together: the lease of a dead server lasts as much longer. */
  steppedBackMs = 0
  /** Durable feeds that exist, by their ids. */
  readonly durableFeeds = new Map<string, { readonly tenant: Tenant; readonly inputs: string }>()
  #deployed: Deployed | undefined
  #named = 0

  private constructor(parts: Pick<World, "clock" | "random" | "faults" | "trace" | "programs" | "database" | "withdraws">) {
    this.clock = parts.clock
    this.random = parts.random
    this.faults = parts.faults
    this.trace = parts.trace
    this.programs = parts.programs
    this.database = parts.database
    this.withdraws = parts.withdraws
    this.operator = operatorOn(parts.clock, parts.database)
  }

  /** Makes a world from a seed: its servers are up, its tenants exist. */
  static async make(seed: number, makeDatabase: MakeDatabase): Promise<World> {
    const clock = makeSimClock()
    const random = new SeededRandom(seed)
    const faults = new Faults(random.fork(), () => clock.nowMs())
    const entropyRandom = random.fork()
    const entropy = entropyOf((count) => entropyRandom.bytes(count))
    const servers = random.percent(60) ? 1 : 2
    const programs = new Programs(clock, random.fork(), faults)
    const database = await makeDatabase({ network: network.name, clock, entropy, random, faults, servers })
    const withdraws = seed % 10 === 4
    const world = new World({ clock, random, faults, trace: new Trace(() => clock.nowMs()), programs, database, withdraws })
    const relay = servers === 2 ? await relayOf(random) : undefined
    const inOneOrder = random.percent(40)
    world.trace.say(`seed ${seed}: ${servers} servers on ${database.name}${inOneOrder ? ", phases in one order" : ""}`)
    const crashed = (server: SimServer): void => world.#crashed(server)
    for (const name of ["A", "B"].slice(0, servers)) {
      world.servers.push(new SimServer(name, { clock, database, entropy, faults, programs, network, inOneOrder, relay, crashed }))
    }
    await world.#provision()
    for (const server of world.servers) await server.start(world.awaited)
    return world
  }

  async #provision(): Promise<void> {
    this.#deployed = await deployPrograms(this.operator)
    for (const name of ["t1", "t2", "t3"].slice(0, this.random.between(2, 3))) {
      const tenant = await makeTenant(this.operator, name, this.#deployed, this.random)
      const limit = tenant.usageLimit === null ? "no limit" : `${tenant.usageLimit.credits} in ${tenant.usageLimit.periodMs} ms`
      this.trace.say(`${name} is ${tenant.projectId}: ${tenant.granted} credits, ${limit}`)
      this.tenants.push(tenant)
    }
  }

  get deployed(): Deployed {
    if (this.#deployed === undefined) throw new Error("nothing is deployed yet")
    return this.#deployed
  }

  /** A name that nothing else has. */
  newName(prefix: string): string {
    this.#named += 1
    return `${prefix}${this.#named}`
  }

  /** The lives that answer requests now. */
  get lives(): ReadonlyArray<Life> {
    return this.servers.flatMap(({ life }) => (life === undefined ? [] : [life]))
  }

  /** Lets time pass until a promise settles; undefined if it is over before. What never settles is a hang. */
  readonly awaited = async <A>(promise: Promise<A>, what: string, isOver: () => boolean = () => false): Promise<A | undefined> => {
    const ended: Array<() => A> = []
    promise.then(
      (value) => ended.push(() => value),
      (fault: unknown) =>
        ended.push(() => {
          throw fault
        })
    )
    const startMs = this.clock.nowMs()
    for (;;) {
      await this.clock.play(0)
      const [result] = ended
      if (result !== undefined) return result()
      if (isOver()) return undefined
      this.findings.mustHold(
        this.clock.nowMs() - startMs < hangsAfterMs,
        "nothing hangs",
        () => `waited in vain for ${what}; ${this.waiting()}`
      )
      this.findings.raise()
      await this.clock.play(10)
    }
  }

  /** What is not over, for the message of a hang. */
  waiting(): string {
    const requests = this.requests
      .filter(({ state }) => state === "open")
      .map(({ number, method, url }) => `request ${number} (${method} ${url})`)
    const replies = this.sockets.flatMap((socket) =>
      socket.isOpen ? [...socket.requests.values()].filter(({ reply }) => reply === undefined).map(({ id }) => `${socket.name} ${id}`) : []
    )
    const runs = this.programs.runs.filter(({ endMs, life }) => endMs === undefined && this.lives.some(({ name }) => name === life))
    return `open: ${[...requests, ...replies, ...runs.map(({ inputs, life }) => `run ${inputs} on ${life}`)].join(", ") || "nothing"}`
  }

  /** Sends a REST request. */
  send(life: Life, plan: RestPlan): RestRequest {
    const caller = new AbortController()
    const number = this.requests.length
    const request: RestRequest = {
      ...plan,
      number,
      life,
      sentAtMs: this.clock.nowMs(),
      grantedAtSend: plan.tenant.granted,
      answer: undefined,
      state: "open",
      leave: () => {
        if (request.state !== "open") return
        request.state = "left"
        caller.abort()
      }
    }
    this.requests.push(request)
    const key = plan.idempotencyKey === undefined ? "" : ` key ${plan.idempotencyKey}`
    this.trace.say(`  #${number} ${plan.tenant.name} ${life.name} ${plan.method} ${plan.url} ${plan.inputs ?? ""}${key}`)
    void this.#answered(request, life.service.fetch(serviceRequestFor(plan, caller.signal)))
    return request
  }

  async #answered(request: RestRequest, answering: ReturnType<Life["service"]["fetch"]>): Promise<void> {
    const response = await answering
    if (request.state !== "open") return
    request.state = "answered"
    request.answer = readAnswer(response, this.clock.nowMs())
    const { json, status } = request.answer
    this.trace.say(`  #${request.number} is answered ${status} ${tagOf(json)}`)
  }

  /** Opens a WebSocket; undefined if that is refused. */
  async connect(life: Life, tenant: Tenant, key: TenantKey): Promise<WireSocket | undefined> {
    const name = this.newName("ws")
    const asked = life.service.upgrade(serviceRequestFor({ method: "GET", url: "/ws/v1", key }))
    const opening = await this.awaited(asked, `the upgrade of ${name}`, () => !life.time.isAlive)
    if (typeof opening !== "function") {
      this.trace.say(`  ${name} of ${tenant.name} is refused: ${opening === undefined ? "the server is gone" : opening.status}`)
      return undefined
    }
    const said = (text: string): void => this.trace.say(`  ${text}`)
    const socket = new WireSocket(name, { tenant, key, life }, { clock: this.clock, said, mustHold: this.findings.mustHold })
    socket.open(opening)
    this.sockets.push(socket)
    return socket
  }

  #crashed(server: SimServer): void {
    this.trace.say(`  server ${server.name} is down`)
    const isLost = (life: Life): boolean => !life.time.isAlive
    for (const request of this.requests) if (request.state === "open" && isLost(request.life)) request.state = "lost"
    for (const socket of this.sockets) if (isLost(socket.life)) socket.lost()
  }
}

const relayOf = (random: SeededRandom): Promise<FeedRelay["Type"]> =>
  Effect.runPromise(Effect.provide(FeedRelay, FeedRelay.layerMemory(random.percent(80) ? "together" : undefined)))
