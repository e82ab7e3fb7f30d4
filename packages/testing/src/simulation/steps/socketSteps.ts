/** Steps of WebSocket clients: they connect, execute, start and stop feeds, do not read, fall silent, and break off. */
import { simulatedLimits } from "../world/tenants.ts"
import type { WireSocket } from "../world/wireSocket.ts"
import type { World } from "../world/world.ts"
import { inputsFor, validKeyOf } from "./executeSteps.ts"
import type { Step } from "./step.ts"

const openSockets = (world: World): ReadonlyArray<WireSocket> =>
  world.sockets.filter((socket) => socket.isOpen && !socket.isSilent && socket.life.time.isAlive)

const hasSocket = (world: World): boolean => openSockets(world).length > 0

const connect: Step = {
  name: "connect",
  weight: 8,
  mayRun: ({ lives }) => lives.length > 0,
  run: async (world) => {
    const tenant = world.random.pick(world.tenants)
    const key = world.random.percent(90) ? validKeyOf(world, tenant) : world.random.pick(tenant.keys)
    await world.connect(world.random.pick(world.lives), tenant, key)
  }
}

const execute: Step = {
  name: "feed.execute",
  weight: 10,
  mayRun: hasSocket,
  run: (world) => {
    const socket = world.random.pick(openSockets(world))
    for (let count = world.random.percent(80) ? 1 : world.random.between(2, 20); count > 0; count -= 1) {
      const id = world.newName("x")
      const inputs = inputsFor(world, socket.tenant)
      world.trace.say(`  ${socket.name} ${id} feed.execute ${inputs}`)
      socket.ask(id, "feed.execute", { execProgramId: world.random.pick(socket.tenant.allowed), execInputs: inputs }, inputs)
    }
  }
}

const startFeed: Step = {
  name: "feed.start",
  weight: 12,
  mayRun: hasSocket,
  run: (world) => {
    const { random } = world
    const socket = random.pick(openSockets(world))
    const startId = world.newName("s")
    const isShared = random.percent(30)
    const shared = world.sockets.flatMap(({ feeds, tenant }) => (tenant === socket.tenant ? feeds.filter((feed) => feed.isShared) : []))
    const joined = isShared && shared.length > 0 && random.percent(70) ? random.pick(shared) : undefined
    const inputs = joined?.inputs ?? world.newName(`${socket.tenant.name}-feed-`)
    const law = joined?.law ?? {
      mode: random.pick(["FIXED", "SEQUENTIAL", "PARALLEL"] as const),
      periodMs: random.percent(70) ? random.between(40, 400) : random.between(400, 2_000),
      maxOverlap: simulatedLimits.feedOverlap
    }
    socket.feeds.push({ startId, law, inputs, isShared, feedId: undefined, stopId: undefined })
    world.trace.say(`  ${socket.name} ${startId} feed.start ${law.mode} ${law.periodMs} ${inputs}${isShared ? " shared" : ""}`)
    const execute = { execProgramId: world.deployed.common, execInputs: inputs }
    const params = { execute, mode: law.mode, periodicityMs: law.periodMs, ...(isShared ? { share: true } : {}) }
    socket.ask(startId, "feed.start", params, inputs)
  }
}

const stopFeed: Step = {
  name: "feed.stop",
  weight: 6,
  mayRun: (world) =>
    openSockets(world).some(({ feeds }) => feeds.some(({ feedId, stopId }) => feedId !== undefined && stopId === undefined)),
  run: (world) => {
    const running = openSockets(world).flatMap((socket) =>
      socket.feeds.filter(({ feedId, stopId }) => feedId !== undefined && stopId === undefined).map((feed) => ({ feed, socket }))
    )
    const { feed, socket } = world.random.pick(running)
    const stopId = world.newName("e")
    // A shared feed that was asked for twice is one.
    for (const one of socket.feeds) if (one.feedId === feed.feedId) one.stopId ??= stopId
    world.trace.say(`  ${socket.name} ${stopId} feed.stop ${feed.startId}`)
    socket.ask(stopId, "feed.stop", { feedId: feed.feedId ?? "" })
  }
}

const misbehave: Step = {
  name: "bad client",
  weight: 5,
  mayRun: hasSocket,
  run: (world) => {
    const socket = world.random.pick(openSockets(world))
    const kind = world.random.pick(["drops", "drops", "reads no more", "reads no more", "goes silent"] as const)
    world.trace.say(`  ${socket.name} ${kind}`)
    if (kind === "drops") {
      world.faults.count("client disconnected")
      socket.drop()
    } else if (kind === "reads no more") {
      world.faults.count("client stopped reading")
      socket.read(false)
    } else {
      world.faults.count("client went silent")
      socket.goSilent()
    }
  }
}

const readAgain: Step = {
  name: "client reads again",
  weight: 4,
  mayRun: (world) => openSockets(world).some(({ isReading }) => !isReading),
  run: (world) => world.random.pick(openSockets(world).filter(({ isReading }) => !isReading)).read(true)
}

/** All of them. */
export const socketSteps: ReadonlyArray<Step> = [connect, execute, startFeed, stopFeed, misbehave, readAgain]
