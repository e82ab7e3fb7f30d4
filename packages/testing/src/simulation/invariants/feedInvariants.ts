/** What holds of feeds: the laws of their modes, and places of durable feeds in order, without gap or repeat that is not told. */
import { judgeFeed } from "../../feeds/judgeFeed.ts"
import { observeWire } from "../../feeds/wireObservation.ts"
import type { SocketFeed, SocketMessage, WireSocket } from "../world/wireSocket.ts"
import type { World } from "../world/world.ts"

/** Longer than any run, the waits for its stores included. */
const longestRunMs = 60_000

interface Place {
  readonly epoch: number
  readonly seq: number
}

/** When a connection was over for its feeds: at its end, or when its server began to drain. */
const endOf = (world: World, socket: WireSocket): number => {
  const drainMs = world.servers.map(({ drainedAtMs }) => drainedAtMs.get(socket.life.name)).find((atMs) => atMs !== undefined)
  return Math.min(socket.endedAtMs ?? world.clock.nowMs(), drainMs ?? Number.POSITIVE_INFINITY)
}

const checkOwn = (world: World, socket: WireSocket, feed: SocketFeed): void => {
  const untilMs = endOf(world, socket)
  const frames = socket.heard.filter(({ atMs }) => atMs <= untilMs)
  const watch = { law: feed.law, startId: feed.startId, untilMs, maxRunMs: longestRunMs }
  const seen = observeWire(frames, feed.stopId === undefined ? watch : { ...watch, stopId: feed.stopId })
  if (seen === undefined) return
  for (const { law, message } of judgeFeed(seen, feed.law, 1)) {
    world.findings.mustHold(
      false,
      `feeds: ${law}`,
      () => `${socket.name} ${feed.startId}, ${feed.law.mode} of ${feed.law.periodMs} ms: ${message}`
    )
  }
}

/** A shared feed's results are not judged by time, which the first subscriber has set; but each comes once. */
const checkShared = (world: World, socket: WireSocket, { feedId, startId }: SocketFeed): void => {
  const told = new Set<unknown>()
  for (const message of resultsOf(socket, feedId)) {
    const seq = message.params?.["seq"]
    world.findings.mustHold(
      !told.has(seq),
      "feeds: one-result",
      () => `${socket.name} ${startId}: result ${String(seq)} of a shared feed twice`
    )
    told.add(seq)
  }
}

const resultsOf = ({ heard }: WireSocket, feedId: string | undefined): ReadonlyArray<SocketMessage> =>
  heard.flatMap(({ text }) => {
    const message = JSON.parse(text) as SocketMessage
    return message.method === "feed.result" && message.params?.feedId === feedId ? [message] : []
  })

const checkFollowed = (world: World, socket: WireSocket, feedId: string): void => {
  let before: Place | undefined
  for (const { text } of socket.heard) {
    const { method, params } = JSON.parse(text) as SocketMessage
    if (params?.feedId !== feedId) continue
    if (method === "feed.gap") before = undefined
    if (method !== "feed.result") continue
    const place = { epoch: Number(params["epoch"]), seq: Number(params["seq"]) }
    const follows = before === undefined || (place.epoch === before.epoch && place.seq === before.seq + 1)
    const told = before
    world.findings.mustHold(
      follows,
      "a durable feed has no gap and no repeat",
      () => `${socket.name}: ${place.epoch}/${place.seq} of ${feedId} after ${told?.epoch}/${told?.seq}`
    )
    before = place
  }
}

/** Judges all feeds, at the end. A client that did not read in time had starts left out, so its feeds are not judged. */
export const checkFeeds = (world: World): void => {
  const isAlone = world.servers.length === 1
  for (const socket of world.sockets) {
    for (const feed of socket.feeds) {
      if (feed.isShared && isAlone && socket.feeds.filter(({ feedId }) => feedId === feed.feedId).length === 1)
        checkShared(world, socket, feed)
      if (!feed.isShared && !socket.wasSlow) checkOwn(world, socket, feed)
    }
    for (const feedId of socket.followed.keys()) checkFollowed(world, socket, feedId)
  }
}
