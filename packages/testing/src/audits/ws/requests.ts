/** The requests that audits send, and the parsing of replies. */
import { type Check, holds, same } from "../check.ts"
import { at, send } from "../rest/call.ts"
import type { WireClient, Message } from "../../wire/wireClient.ts"
import type { WsTarget } from "./wsTarget.ts"

let nextId = 0

/** An id that no other request of this process has. */
export const freshId = (): string => `audit-${(nextId += 1)}`

/** A request as text. */
export const requestText = (id: string, method: string, params: unknown): string => JSON.stringify({ jsonrpc: "2.0", id, method, params })

/** Sends a request and waits for its reply; `undefined` if none arrives. */
export const ask = async (client: WireClient, method: string, params: unknown): Promise<Message | undefined> => {
  const id = freshId()
  client.sendText(requestText(id, method, params))
  return client.reply(id)
}

/** Parameters of `feed.start`. */
export interface StartParams {
  readonly execute: Readonly<Record<string, unknown>>
  readonly periodicityMs: number
  readonly mode: "FIXED" | "SEQUENTIAL" | "PARALLEL"
  readonly share?: boolean
}

/** Starts a feed and returns its id; rejects if it does not start. */
export const startFeed = async (client: WireClient, params: StartParams): Promise<string> => {
  const reply = await ask(client, "feed.start", params)
  const feedId = at(reply?.json, "result", "feedId")
  if (typeof feedId !== "string") throw new Error(`the feed did not start: ${reply?.text ?? "no reply came"}`)
  return feedId
}

/** One `feed.result`. */
export interface FeedResult {
  readonly feedId: string
  readonly seq: number
  readonly scheduledAt: number
  readonly startedAt: number
  readonly result?: unknown
  readonly error?: unknown
}

/** The results of a feed so far, in order of arrival. */
export const resultsOf = (client: WireClient, feedId: string): ReadonlyArray<FeedResult> =>
  client.messages
    .filter(({ json }) => json["method"] === "feed.result" && at(json, "params", "feedId") === feedId)
    .map(({ json }) => json["params"] as FeedResult)

/** Waits until a feed has sent that many results; returns those that it has sent. */
export const awaitResults = async (
  client: WireClient,
  feedId: string,
  count: number,
  withinMs?: number
): Promise<ReadonlyArray<FeedResult>> => {
  await client.until(() => (resultsOf(client, feedId).length >= count ? true : undefined), withinMs)
  return resultsOf(client, feedId)
}

/** Checks an error reply exactly: its members in order, code and tag, and one text under both names. */
export const isErrorReply = (
  what: string,
  reply: Message | undefined,
  id: string | null,
  code: number,
  tag: string
): ReadonlyArray<Check> => {
  const text = at(reply?.json, "error", "error")
  const details = at(reply?.json, "error", "details")
  const error = { _tag: tag, code, error: text, message: text, ...(details === undefined ? {} : { details }) }
  return [
    same(what, reply?.json, { jsonrpc: "2.0", id, error }),
    holds(`${what}: has a text`, typeof text === "string" && text.trim() !== "", text)
  ]
}

/** Waits for a fixed time, to see that something does not happen. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** How long runs in flight may take to end: more than one execution may take. */
const defaultSettlingMs = 60_000

/** How often the kit looks at most while connections end under its request: after a while without the processor, those that it kept are closed. */
const looks = 3

/** The credits of a key's project. */
const lookAtCredits = async (target: WsTarget, key: string): Promise<{ readonly used: unknown; readonly held: unknown }> => {
  for (let look = 1; ; look += 1) {
    try {
      const credits = at((await send(target, { path: "/project", key })).json, "credits")
      return { used: at(credits, "used"), held: at(credits, "held") }
    } catch (cause) {
      if (look === looks) throw cause
    }
  }
}

/**
 * The credits used by a key's project, once no run of it is in flight, which would hold credits, and they have not changed for a second;
 * `undefined` if there is no such second. A busy machine may need longer than a second for one run.
 */
export const settledCredits = async (target: WsTarget, key: string): Promise<unknown> => {
  let before = await lookAtCredits(target, key)
  const settlingMs = target.settlingMs ?? defaultSettlingMs
  for (let waitedMs = 0; waitedMs < settlingMs; waitedMs += 1_000) {
    await pause(1_000)
    const now = await lookAtCredits(target, key)
    if (now.used === before.used && now.held === "0" && before.held === "0") return now.used
    before = now
  }
  return undefined
}

/**
 * The target with the key of a project that no other audit uses. Without an operator: with its own key, once the runs of earlier audits are
 * charged, after ten seconds at most.
 */
export const ownProjectOf = async (target: WsTarget): Promise<WsTarget> => {
  if (target.operator !== undefined) return { ...target, apiKey: await target.operator.freshKey() }
  for (let tries = 0; tries < 100; tries += 1) {
    if ((await lookAtCredits(target, target.apiKey)).held === "0") break
    await pause(100)
  }
  return target
}
