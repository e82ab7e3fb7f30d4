/** Steps of misfortune: stores in trouble, processes that crash, are drained and start again, and clocks that are set. */
import type { World } from "../world/world.ts"
import { executionFor, sendSoon } from "./executeSteps.ts"
import type { Step } from "./step.ts"

/** The wall clock is never off by more in all: the lease of a hold lasts longer, and is renewed earlier. */
const mostOffMs = 40_000

const setClock = (world: World, byMs: number): void => {
  world.faults.count("wall clock stepped")
  world.steppedByMs += byMs
  world.steppedBackMs += Math.max(0, -byMs)
  world.stepsAtMs.push(world.clock.nowMs())
  world.trace.say(`  the wall clock is set by ${byMs} ms`)
  world.clock.jumpWall(byMs)
}

const storeTrouble: Step = {
  name: "the stores are in trouble",
  weight: 4,
  run: ({ clock, faults, random, trace }) => {
    const forMs = random.between(20, random.percent(80) ? 600 : 8_000)
    const kind = random.pick(["away", "flaky", "slow", "lossy"] as const)
    trace.say(`  ${kind} for ${forMs} ms`)
    const none = { untilMs: clock.nowMs() + forMs, failPercent: 0, losePercent: 0, slowPercent: 0, slowMs: 1 }
    if (kind === "away") faults.setTrouble({ ...none, failPercent: 100 })
    if (kind === "flaky") faults.setTrouble({ ...none, failPercent: 15, losePercent: 15, slowPercent: 20, slowMs: 50 })
    if (kind === "slow") faults.setTrouble({ ...none, slowPercent: 80, slowMs: random.between(10, 700) })
    if (kind === "lossy") faults.setTrouble({ ...none, losePercent: 60 })
  }
}

const crashAtWrite: Step = {
  name: "a process will crash",
  weight: 4,
  mayRun: ({ lives }) => lives.length > 0,
  run: (world) => {
    const life = world.random.pick(world.lives)
    const writes = world.random.between(1, 8)
    const after = world.random.percent(50)
    world.trace.say(`  ${life.name} ${after ? "after" : "before"} write ${writes} from now`)
    life.gate.crashAtWrite(writes, after)
  }
}

const crash: Step = {
  name: "a process crashes",
  weight: 2,
  mayRun: ({ lives }) => lives.length > 0,
  run: (world) => {
    world.faults.count("process crashed at once")
    world.random.pick(world.servers.filter(({ life }) => life !== undefined)).crash()
  }
}

const drain: Step = {
  name: "a server is drained",
  weight: 2,
  mayRun: ({ servers }) => servers.some(({ isDraining, life }) => life !== undefined && !isDraining),
  run: async (world) => {
    world.faults.count("process was drained")
    const server = world.random.pick(world.servers.filter(({ isDraining, life }) => life !== undefined && !isDraining))
    await server.drain(world.awaited)
  }
}

/** Starts every server that is down; one may crash again at once. */
export const restartAll = async (world: World): Promise<void> => {
  for (const server of world.servers) {
    if (server.life !== undefined) continue
    const name = await server.start(world.awaited)
    world.trace.say(`  server ${server.name} ${name === undefined ? "did not come up" : `is up as ${name}`}`)
  }
}

const restart: Step = {
  name: "restart",
  weight: 60,
  mayRun: ({ servers }) => servers.some(({ life }) => life === undefined),
  run: restartAll
}

const stepClock: Step = {
  name: "the wall clock is set",
  weight: 2,
  run: (world) => {
    const byMs = world.random.between(1, 20_000) * (world.random.percent(50) ? 1 : -1)
    if (Math.abs(world.steppedByMs + byMs) > mostOffMs) return
    setClock(world, byMs)
  }
}

/** A run under a key outlives the claim of its server, by the clock of the others, while others wait for it. */
const outliveClaim: Step = {
  name: "a claim lapses",
  weight: 2,
  mayRun: ({ lives, steppedByMs }) => lives.length > 1 && steppedByMs < mostOffMs - 17_000,
  run: (world) => {
    const plan = executionFor(world, world.random.pick(world.tenants), true)
    const [first, other] = world.lives
    if (first === undefined) return
    world.send(first, plan)
    world.faults.count("request was sent twice")
    sendSoon(world, plan, world.random.below(10), other)
    world.clock.at(world.clock.nowMs() + world.random.between(10, 60), () => setClock(world, 17_000))
  }
}

/** All of them. */
export const faultSteps: ReadonlyArray<Step> = [storeTrouble, crashAtWrite, crash, drain, restart, stepClock, outliveClaim]
