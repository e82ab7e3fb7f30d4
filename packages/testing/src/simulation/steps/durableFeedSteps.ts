/** Steps with durable feeds: made, followed from where a client was, and removed. */
import type { World } from "../world/world.ts"
import { validKeyOf } from "./executeSteps.ts"
import type { Step } from "./step.ts"

const isThere = (world: World): boolean => world.durableFeeds.size > 0 && world.lives.length > 0

const create: Step = {
  name: "create a durable feed",
  weight: 3,
  mayRun: ({ lives }) => lives.length > 0,
  run: async (world) => {
    const { random } = world
    const tenant = random.pick(world.tenants)
    const inputs = world.newName(`${tenant.name}-durable-`)
    const execute = { execProgramId: world.deployed.common, execInputs: inputs }
    const body = { execute, mode: random.pick(["FIXED", "SEQUENTIAL", "PARALLEL"]), periodicityMs: random.between(80, 1_500) }
    const life = random.pick(world.lives)
    const request = world.send(life, { method: "POST", url: "/feeds", tenant, key: validKeyOf(world, tenant), body })
    await world.clock.play(20)
    const feedId = request.answer?.json["feedId"]
    if (request.answer?.status === 201 && typeof feedId === "string") world.durableFeeds.set(feedId, { tenant, inputs })
  }
}

const follow: Step = {
  name: "feed.follow",
  weight: 4,
  mayRun: isThere,
  run: (world) => {
    const { random } = world
    const [feedId, { tenant }] = random.pick([...world.durableFeeds])
    const sockets = world.sockets.filter(
      (socket) => socket.isOpen && !socket.isSilent && socket.life.time.isAlive && socket.tenant === tenant
    )
    if (sockets.length === 0) return
    const socket = random.pick(sockets)
    const id = world.newName("f")
    world.trace.say(`  ${socket.name} ${id} feed.follow ${feedId}`)
    if (!socket.followed.has(feedId)) socket.followed.set(feedId, { id })
    socket.ask(id, "feed.follow", { feedId })
  }
}

const show: Step = {
  name: "show a durable feed",
  weight: 2,
  mayRun: isThere,
  run: (world) => {
    const [feedId, { tenant }] = world.random.pick([...world.durableFeeds])
    const other = world.random.percent(30) ? world.random.pick(world.tenants) : tenant
    const refusal = other === tenant ? {} : { refusal: { status: 404, tag: "FeedNotFound" } }
    world.send(world.random.pick(world.lives), {
      method: "GET",
      url: `/feeds/${feedId}`,
      tenant: other,
      key: validKeyOf(world, other),
      ...refusal
    })
  }
}

const remove: Step = {
  name: "remove a durable feed",
  weight: 2,
  mayRun: isThere,
  run: (world) => {
    const [feedId, { tenant }] = world.random.pick([...world.durableFeeds])
    world.durableFeeds.delete(feedId)
    world.send(world.random.pick(world.lives), { method: "DELETE", url: `/feeds/${feedId}`, tenant, key: validKeyOf(world, tenant) })
  }
}

/** All of them. */
export const durableFeedSteps: ReadonlyArray<Step> = [create, follow, show, remove]
