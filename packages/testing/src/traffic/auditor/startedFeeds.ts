/** The feeds of a history: what was asked for, and what came of each. */
import { at } from "../../audits/rest/call.ts"
import type { FeedLaw } from "../../feeds/feedModel.ts"
import { type History, type Moment, type SocketHistory } from "../history/history.ts"
import { type Asked, askedOf, placeOf } from "./askedRun.ts"
import { messagesOf, type ReadMessage, replyTo, type Reply, type Telling, isRecord } from "./executions.ts"
import { isMembers, textAt } from "../history/json.ts"

/** A request for a feed, with everything that came of it. */
export interface StartedFeed {
  readonly socket: SocketHistory
  readonly step: number | undefined
  readonly startId: string
  /** `undefined` if mode or period are not valid. */
  readonly law: FeedLaw | undefined
  readonly asked: Asked
  readonly sent: Moment
  readonly reply: Reply | undefined
  readonly feedId: string | undefined
  readonly results: ReadonlyArray<ReadMessage>
  /** The stop that was answered, and its request's id. */
  readonly stop: { readonly id: string; readonly asked: Moment; readonly answered: Moment } | undefined
}

const modes: ReadonlyArray<FeedLaw["mode"]> = ["FIXED", "SEQUENTIAL", "PARALLEL"]

const lawOf = (params: unknown, maxOverlap: number): FeedLaw | undefined => {
  const mode = modes.find((known) => known === at(params, "mode"))
  const periodMs = at(params, "periodicityMs")
  const isValid = typeof periodMs === "number" && Number.isInteger(periodMs) && periodMs >= 10 && periodMs <= 86_400_000
  return mode === undefined || !isValid ? undefined : { mode, periodMs, maxOverlap }
}

const executeOf = (params: unknown): Asked => {
  const place = placeOf(at(params, "execute"))
  return place === undefined ? { kind: "refused", tags: ["InvalidParameter"], why: "execute" } : askedOf([place])
}

const stopOf = (sent: ReadonlyArray<ReadMessage>, heard: ReadonlyArray<ReadMessage>, feedId: string | undefined): StartedFeed["stop"] => {
  for (const { atMs, json, order } of sent) {
    const { id } = json
    if (json["method"] !== "feed.stop" || typeof id !== "string" || at(json["params"], "feedId") !== feedId || feedId === undefined)
      continue
    const reply = replyTo(heard, id, 0)
    if (reply !== undefined && at(reply.json, "feedId") === feedId)
      return { id, asked: { order, atMs }, answered: { order: reply.order, atMs: reply.atMs } }
  }
  return undefined
}

/** Whether a message is a result of a feed. */
export const isFeedResult = ({ json }: ReadMessage): boolean => json["method"] === "feed.result"

const feedsOfSocket = (socket: SocketHistory, maxOverlap: number): ReadonlyArray<StartedFeed> => {
  const [sent, heard] = [messagesOf(socket.sent), messagesOf(socket.heard)]
  return sent.flatMap(({ atMs, json, order, step }): ReadonlyArray<StartedFeed> => {
    const { id, method, params } = json
    if (method !== "feed.start" || typeof id !== "string" || !isMembers(params)) return []
    const reply = replyTo(heard, id, 0)
    const feedId = textAt(reply?.json, "feedId")
    const results = heard.filter(
      (message) => isFeedResult(message) && feedId !== undefined && at(message.json, "params", "feedId") === feedId
    )
    const facts = { socket, step, startId: id, law: lawOf(params, maxOverlap), asked: executeOf(params), sent: { order, atMs } }
    return [{ ...facts, reply, feedId, results, stop: stopOf(sent, heard, feedId) }]
  })
}

/** Every request for a feed. */
export const feedsOf = ({ feedOverlap, sockets }: History): ReadonlyArray<StartedFeed> =>
  sockets.flatMap((socket) => feedsOfSocket(socket, feedOverlap))

/** The runs that a feed told of. */
export const tellingsOfFeed = ({ asked, results, sent, socket, step }: StartedFeed): ReadonlyArray<Telling> =>
  results.flatMap(({ atMs, json, order }): ReadonlyArray<Telling> => {
    const record = at(json, "params", "result") ?? at(json, "params", "error")
    const [tag, data] = [textAt(record, "_tag"), at(record, "data")]
    const id = textAt(data, "id")
    if (!isRecord(tag) || !isMembers(data) || id === undefined) return []
    const told = { order, atMs }
    const reply: Reply = { ...told, tag, json: record }
    const { key, tenant } = socket
    const execution = {
      via: "ws",
      isLastResult: false,
      tenant,
      key,
      step,
      asked,
      sent,
      reply,
      idempotencyKey: undefined,
      lost: undefined,
      text: "",
      socket
    } as const
    const isFresh = asked.kind === "run" && asked.run.options.returnLastResult ? undefined : true
    return [{ how: "feed", isFresh, tenant, step, id, data, sent, told, execution }]
  })
