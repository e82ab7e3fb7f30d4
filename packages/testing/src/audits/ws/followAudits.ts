/** Audits of feed.follow: durable feeds over a WebSocket, from any place, without gap or repeat (D51). */
import { type Audit, audit } from "../audit.ts"
import { type Check, holds, keysAre, same } from "../check.ts"
import { skippedWithout } from "../feature.ts"
import { at, send } from "../rest/call.ts"
import type { WireClient } from "../../wire/wireClient.ts"
import { ask, awaitResults, type FeedResult, isErrorReply, resultsOf } from "./requests.ts"
import { openClient, withClient, type WsTarget } from "./wsTarget.ts"

/** A result of a durable feed has its place. */
type PlacedResult = FeedResult & { readonly epoch: number; readonly tick: number }

const placedOf = (results: ReadonlyArray<FeedResult>): ReadonlyArray<PlacedResult> => results as ReadonlyArray<PlacedResult>

const feedPath = (feedId: string): string => `/feeds/${feedId}`

/** Adds a durable feed and removes it afterwards; removing it twice is no fault. */
export const withDurableFeed = async (
  target: WsTarget,
  use: (feedId: string) => Promise<ReadonlyArray<Check>>,
  periodicityMs = 50
): Promise<ReadonlyArray<Check>> => {
  const json = { execute: { execProgramId: target.programs.echo, execInputs: "followed" }, mode: "FIXED", periodicityMs }
  const added = await send(target, { path: "/feeds", json })
  const feedId = String(at(added.json, "feedId"))
  try {
    return [same("added", added.status, 201), ...(await use(feedId))]
  } finally {
    await send(target, { method: "DELETE", path: feedPath(feedId) })
  }
}

const numbersOf = (results: ReadonlyArray<FeedResult>): ReadonlyArray<number> => results.map(({ seq }) => seq)

const follows = (from: number, numbers: ReadonlyArray<number>): Check =>
  same(
    "one number after the other",
    numbers,
    numbers.map((_, index) => from + index)
  )

/** Asks to follow a durable feed, from a place if there is one. */
export const follow = (client: WireClient, feedId: string, after?: object) =>
  ask(client, "feed.follow", { feedId, ...(after === undefined ? {} : { after }) })

const placesOf = ({ epoch, seq }: PlacedResult) => ({ epoch, seq })

const sendsInOrder = audit<WsTarget>(
  "WS-FOLLOW-001",
  "MUST",
  "D51",
  "feed.follow returns {feedId}, then each run of the durable feed is sent once, in order, with its epoch, number and tick",
  (target) =>
    withDurableFeed(target, (feedId) =>
      withClient(target, async (client) => {
        const reply = await follow(client, feedId)
        const results = placedOf(await awaitResults(client, feedId, 5))
        const ids = new Set(results.map(({ result }) => at(result, "data", "id")))
        return [
          same("the reply", reply?.json["result"], { feedId }),
          keysAre("params", results[0], ["feedId", "epoch", "seq", "tick", "scheduledAt", "startedAt", "result"]),
          follows(results[0]?.seq ?? -1, numbersOf(results)),
          same("one epoch", new Set(results.map(({ epoch }) => epoch)).size, 1),
          holds(
            "ticks grow",
            results.every(({ tick }, index) => index === 0 || tick > (results[index - 1]?.tick ?? tick)),
            results.length
          ),
          same("each run its id", ids.size, results.length)
        ]
      })
    )
)

const resumes = audit<WsTarget>(
  "WS-FOLLOW-002",
  "MUST",
  "D51",
  "after a place, feed.follow sends what came after it: on another connection it goes on where the first ended, without gap or repeat",
  (target) =>
    withDurableFeed(target, async (feedId) => {
      const first = await openClient(target)
      await follow(first, feedId)
      const before = placedOf(await awaitResults(first, feedId, 4))
      first.reset()
      const last = before[2]
      return withClient(target, async (second) => {
        await follow(second, feedId, last === undefined ? {} : placesOf(last))
        const after = placedOf(await awaitResults(second, feedId, 4))
        return [
          holds("there was a place", last !== undefined, before.length),
          follows((last?.seq ?? -1) + 1, numbersOf(after)),
          same("the run that both saw is the same", at(after[0]?.result, "data", "id"), at(before[3]?.result, "data", "id"))
        ]
      })
    })
)

const endsWhenRemoved = audit<WsTarget>(
  "WS-FOLLOW-003",
  "MUST",
  "D51",
  "who follows a feed that is removed is sent feed.ended, and nothing of it afterwards",
  (target) =>
    withDurableFeed(target, (feedId) =>
      withClient(target, async (client) => {
        await follow(client, feedId)
        await awaitResults(client, feedId, 1)
        const removed = await send(target, { method: "DELETE", path: feedPath(feedId) })
        const isEnd = ({ json }: { readonly json: Readonly<Record<string, unknown>> }): boolean => json["method"] === "feed.ended"
        const ended = await client.until(() => client.messages.find(isEnd), target.settlingMs)
        const place = client.messages.findIndex(isEnd)
        const stop = await ask(client, "feed.stop", { feedId })
        const late = client.messages.slice(place + 1).filter(({ json }) => at(json, "params", "feedId") === feedId)
        return [
          same("removed", removed.status, 200),
          keysAre("members of the notification", ended?.json, ["jsonrpc", "method", "params"]),
          same("its feed", at(ended?.json, "params", "feedId"), feedId),
          same("afterwards", late.length, 0),
          ...isErrorReply("it cannot be stopped", stop, String(stop?.json["id"]), 32001, "FeedNotFound")
        ]
      })
    )
)

const refusesForeignFeeds = audit<WsTarget>(
  "WS-FOLLOW-004",
  "MUST",
  "D17/D51",
  "a feed that is unknown or another project's is 32001; a place that was not reached, or is none, is 32602, naming after",
  (target) =>
    withDurableFeed(target, async (feedId) =>
      withClient(target, async (client) => {
        const unknown = await follow(client, globalThis.crypto.randomUUID())
        await follow(client, feedId)
        const [reached] = placedOf(await awaitResults(client, feedId, 1))
        await ask(client, "feed.stop", { feedId })
        const ahead = await follow(client, feedId, { epoch: reached?.epoch ?? 0, seq: 1_000_000 })
        const malformed = await follow(client, feedId, { epoch: "1", seq: -1 })
        const { otherTenantKey: key } = target
        const theirs = key === undefined ? undefined : await withClient(target, (other) => follow(other, feedId), { key })
        const idOf = (reply: typeof unknown): string => String(reply?.json["id"])
        return [
          ...isErrorReply("unknown", unknown, idOf(unknown), 32001, "FeedNotFound"),
          ...isErrorReply("not reached", ahead, idOf(ahead), 32602, "InvalidParameter"),
          ...isErrorReply("no place", malformed, idOf(malformed), 32602, "InvalidParameter"),
          same("details.parameter", at(malformed?.json, "error", "details", "parameter"), "after"),
          ...(theirs === undefined ? [] : isErrorReply("another project's", theirs, idOf(theirs), 32001, "FeedNotFound")),
          holds("it was followed before", resultsOf(client, feedId).length >= 1)
        ]
      })
    )
)

/** Durable feeds over a WebSocket. */
export const followAudits: ReadonlyArray<Audit<WsTarget>> = skippedWithout("hasDurableFeeds", "the service has no durable feeds", [
  sendsInOrder,
  resumes,
  endsWhenRemoved,
  refusesForeignFeeds
])
