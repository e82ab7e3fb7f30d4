/** Simulates a whole service from one seed: steps, faults, and the invariants after each of them. */
import { Invariants } from "./invariants/checkWorld.ts"
import { durableFeedSteps } from "./steps/durableFeedSteps.ts"
import { executeSteps } from "./steps/executeSteps.ts"
import { faultSteps, restartAll } from "./steps/faultSteps.ts"
import { operatorSteps } from "./steps/operatorSteps.ts"
import { socketSteps } from "./steps/socketSteps.ts"
import type { Step } from "./steps/step.ts"
import type { FaultKind } from "./world/faults.ts"
import { InvariantBroken } from "./world/violation.ts"
import { inMemory, type MakeDatabase, World } from "./world/world.ts"

/** One simulation. */
export interface SimulationPlan {
  readonly seed: number
  /** How many steps are taken. Default 40. */
  readonly steps?: number
  /** The stores. Default: in memory. */
  readonly database?: MakeDatabase
}

/** What was broken, and where. */
export interface SimulationFailure {
  readonly invariant: string
  readonly message: string
  readonly step: number
}

/** What a simulation has done. */
export interface SimulationReport {
  readonly seed: number
  readonly steps: number
  readonly runs: number
  readonly charges: number
  readonly requests: number
  readonly connections: number
  readonly faults: ReadonlyMap<FaultKind, number>
  /** Virtual ms. */
  readonly lastedMs: number
  readonly trace: ReadonlyArray<string>
  readonly failure: SimulationFailure | undefined
}

const allSteps: ReadonlyArray<Step> = [...executeSteps, ...socketSteps, ...durableFeedSteps, ...operatorSteps, ...faultSteps]

const defaultSteps = 40

/** How long to wait for everything to come to rest, in virtual ms: longer than any run, drain, or wait for stores or a dead claim. */
const restsWithinMs = 60_000
/** Longer than the lease of any hold or escrow, by any wall clock. */
const leasesEndMs = 400_000

const gaps = [
  { weight: 30, least: 0, most: 0 },
  { weight: 35, least: 1, most: 50 },
  { weight: 25, least: 50, most: 500 },
  { weight: 9, least: 500, most: 3_000 },
  { weight: 1, least: 4_000, most: 12_000 }
]

const takeStep = async (world: World): Promise<void> => {
  const possible = allSteps.filter(({ mayRun }) => mayRun === undefined || mayRun(world))
  const step = world.random.weighted(possible)
  world.trace.say(step.name)
  await step.run(world)
  const { least, most } = world.random.weighted(gaps)
  await world.clock.play(world.random.between(least, most))
}

const isBusy = (world: World): boolean =>
  world.requests.some(({ state }) => state === "open") ||
  world.sockets.some(
    (socket) => socket.isOpen && socket.life.time.isAlive && [...socket.requests.values()].some(({ reply }) => reply === undefined)
  )

/** Longer than a dead owner's lease, a wait for the credits of a dead server, and a run that never ends, one after the other. */
const ticksEndWithinMs = 20_000

const openTicks = async (world: World): Promise<ReadonlySet<string>> => {
  const open = new Set<string>()
  for (const feedId of world.durableFeeds.keys()) {
    for (const { epoch, seq } of await world.operator.run(world.operator.ports.feeds.unfinished(feedId)))
      open.add(`${feedId} ${epoch}/${seq}`)
  }
  return open
}

/** Whoever owns a durable feed ends what its former owner has begun. */
const ticksEnd = async (world: World): Promise<void> => {
  const before = await openTicks(world)
  if (before.size === 0) return
  await world.clock.play(ticksEndWithinMs + world.steppedBackMs)
  const after = await openTicks(world)
  const left = [...before].filter((tick) => after.has(tick))
  world.findings.mustHold(left.length === 0, "each tick of a durable feed ends", () => left.join(", "))
}

/** No more faults; everything is answered. */
const comeToRest = async (world: World): Promise<void> => {
  world.trace.say("everything comes to rest")
  world.faults.setTrouble(undefined)
  for (const { life } of world.servers) life?.gate.crashAtWrite(Number.POSITIVE_INFINITY, true)
  await restartAll(world)
  await ticksEnd(world)
  for (const [feedId, { tenant }] of world.durableFeeds) {
    const key = tenant.keys.find(({ revokedAtMs }) => revokedAtMs === undefined)
    const [life] = world.lives
    if (key !== undefined && life !== undefined) world.send(life, { method: "DELETE", url: `/feeds/${feedId}`, tenant, key })
  }
  const startMs = world.clock.nowMs()
  while (isBusy(world) && world.clock.nowMs() - startMs < restsWithinMs) await world.clock.play(200)
  for (const { number, state } of world.requests) {
    world.findings.mustHold(state !== "open", "nothing hangs", () => `#${number} has no answer; ${world.waiting()}`)
  }
}

const drainAll = async (world: World): Promise<void> => {
  world.trace.say("the servers end")
  for (const server of world.servers) await server.drain(world.awaited)
}

/** Nobody renews any lease: all of them end. */
const endLeases = async (world: World): Promise<void> => {
  world.clock.stall(leasesEndMs)
  world.clock.advance(0)
  for (const { projectId } of world.tenants) await world.operator.run(world.database.expireHolds(projectId))
}

const live = async (world: World, invariants: Invariants, steps: number): Promise<void> => {
  for (let step = 1; step <= steps; step += 1) {
    world.trace.step = step
    await takeStep(world)
    await invariants.check()
  }
  world.trace.step = steps + 1
  await comeToRest(world)
  await invariants.checkAtRest()
  await drainAll(world)
  await invariants.checkAfterDrain()
  await endLeases(world)
  await invariants.checkAtEnd()
}

/** Runs one simulation. The same seed gives the same trace, on every runtime. */
export const simulate = async ({ database = inMemory, seed, steps = defaultSteps }: SimulationPlan): Promise<SimulationReport> => {
  const world = await World.make(seed, database)
  const invariants = new Invariants(world)
  let failure: SimulationFailure | undefined
  try {
    await live(world, invariants, steps)
  } catch (cause) {
    const { invariant, message } =
      cause instanceof InvariantBroken
        ? cause
        : { invariant: "the simulation itself", message: String(cause instanceof Error ? cause.stack : cause) }
    failure = { invariant, message, step: world.trace.step }
    world.trace.say(`BROKEN: ${invariant}: ${message}`)
  }
  for (const server of world.servers) server.crash()
  await world.database.close()
  return {
    seed,
    steps: Math.min(world.trace.step, steps),
    runs: world.programs.runs.length,
    charges: invariants.charges,
    requests: world.requests.length,
    connections: world.sockets.length,
    faults: world.faults.counts,
    lastedMs: world.clock.nowMs(),
    trace: world.trace.lines,
    failure
  }
}
