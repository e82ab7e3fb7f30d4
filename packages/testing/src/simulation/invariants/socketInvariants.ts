/** What always holds of connections: results are stored and one's own, bad clients and invalid keys are closed in time, limits hold. */
import { simulatedLimits } from "../world/tenants.ts"
import type { SocketMessage, WireSocket } from "../world/wireSocket.ts"
import type { World } from "../world/world.ts"
import { checkPrivacy, checkShown, hadDefect, type ShownData, type Stored } from "./answerInvariants.ts"
import { toldErrors } from "./toldErrors.ts"

/** How long a closing may take beside its own limit: the service looks several times a second. */
const graceMs = 1_000

const checkError = (world: World, socket: WireSocket, { error, id, params }: SocketMessage, atMs: number): void => {
  const failure = error ?? (params?.["error"] as SocketMessage["error"])
  if (failure === undefined) return
  const tag = failure._tag ?? ""
  const told = `${socket.name} was told ${tag} ${failure.code}`
  world.findings.mustHold(failure.code !== undefined && toldErrors[tag]?.code === failure.code, "errors are typed", () => told)
  if (tag !== "InternalError" && tag !== "Unavailable") return
  const request = socket.requests.get(id ?? "")
  const feed = socket.feeds.find(({ feedId }) => feedId !== undefined && feedId === params?.feedId)
  const durable = params?.feedId === undefined ? undefined : world.durableFeeds.get(params.feedId)
  const inputs = request?.inputs ?? feed?.inputs ?? durable?.inputs
  const sinceMs = request?.sentAtMs ?? atMs - 10_000
  const hadStoreFault = world.faults.storeFaultsAtMs.some((faultMs) => faultMs >= sinceMs - 100 && faultMs <= atMs)
  // A durable feed may have been removed since, or tell of failures of long ago.
  const isKnown = inputs !== undefined && !socket.followed.has(params?.feedId ?? "")
  const mayBe = tag === "Unavailable" ? hadStoreFault : hadDefect(world, inputs, sinceMs)
  world.findings.mustHold(!isKnown || mayBe, "no error without a fault", () => told)
}

/** Checks what a connection was told since the last look. */
export const checkFrames = (world: World, socket: WireSocket, from: number, stored: Stored): void => {
  for (const { atMs, text } of socket.heard.slice(from)) {
    checkPrivacy(world, socket.tenant, text, `a message on ${socket.name}`)
    const message = JSON.parse(text) as SocketMessage
    checkError(world, socket, message, atMs)
    const shown = message.result ?? (message.params?.["result"] as SocketMessage["result"])
    if (shown?.["data"] !== undefined) checkShown(world, socket.tenant, shown["data"] as ShownData, stored, `a message on ${socket.name}`)
  }
}

const isAlive = (socket: WireSocket): boolean => socket.isOpen && socket.life.time.isAlive

const checkSlow = (world: World, socket: WireSocket, nowMs: number): void => {
  const { outputHardBytes, outputSoftMs, pingIntervalMs } = simulatedLimits
  world.findings.mustHold(
    socket.bufferedBytes <= outputHardBytes + 65_536,
    "memory of a slow client is bounded",
    () => `${socket.bufferedBytes} bytes wait for ${socket.name}`
  )
  const slowMs = nowMs - (socket.aboveSoftSinceMs ?? nowMs)
  world.findings.mustHold(
    slowMs <= outputSoftMs + graceMs,
    "a slow client is closed",
    () => `${socket.name} has been slow for ${slowMs} ms`
  )
  const silentMs = nowMs - (socket.silentSinceMs ?? nowMs)
  world.findings.mustHold(
    silentMs <= 2 * pingIntervalMs + graceMs,
    "a silent client is closed",
    () => `${socket.name} has been silent for ${silentMs} ms`
  )
}

const checkRevoked = (world: World, socket: WireSocket, nowMs: number): void => {
  const revokedMs = nowMs - (socket.key.revokedAtMs ?? nowMs)
  // While the stores do not answer, nobody knows.
  const lastFaultMs = world.faults.storeFaultsAtMs.at(-1) ?? Number.NEGATIVE_INFINITY
  const isKnown = nowMs - lastFaultMs > 2 * graceMs && !world.faults.isInTrouble
  world.findings.mustHold(
    revokedMs <= graceMs || !isKnown,
    "a revoked key's connections are closed within a second",
    () => `${socket.name} has been open for ${revokedMs} ms since its key was revoked`
  )
}

/** Checks the state of all connections. */
export const checkConnections = (world: World): void => {
  const nowMs = world.clock.nowMs()
  const open = world.sockets.filter(isAlive)
  const counts = new Map<string, number>()
  for (const socket of open) {
    checkSlow(world, socket, nowMs)
    checkRevoked(world, socket, nowMs)
    const unanswered = [...socket.requests.values()].filter(({ reply }) => reply === undefined).length
    world.findings.mustHold(
      unanswered <= simulatedLimits.requestsPerConnection,
      "unanswered requests of a connection",
      () => `${socket.name}: ${unanswered}`
    )
    const place = `${socket.life.name}/${socket.key.apiKeyId}`
    counts.set(place, (counts.get(place) ?? 0) + 1)
    const running = new Set(socket.feeds.flatMap(({ feedId, stopId }) => (feedId !== undefined && stopId === undefined ? [feedId] : [])))
    world.findings.mustHold(
      running.size <= simulatedLimits.feedsPerConnection,
      "feeds of a connection",
      () => `${socket.name}: ${running.size}`
    )
  }
  for (const [place, count] of counts) {
    world.findings.mustHold(count <= simulatedLimits.connectionsPerKey, "connections of a key", () => `${place}: ${count}`)
  }
}

/** In the end, each request on a connection that is still open was answered. */
export const checkReplied = (world: World): void => {
  for (const socket of world.sockets.filter(isAlive)) {
    for (const { id, method, reply } of socket.requests.values()) {
      world.findings.mustHold(reply !== undefined, "nothing hangs", () => `${socket.name} ${id} ${method} has no reply; ${world.waiting()}`)
    }
  }
}
