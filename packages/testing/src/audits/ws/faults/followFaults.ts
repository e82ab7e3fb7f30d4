/** Faults in durable feeds over a WebSocket, in what feeds are started with, and in the documented messages, each with its audit. */
import { at } from "../../rest/call.ts"
import {
  editing,
  editingAt,
  type FaultyConnection,
  isResult,
  type Members,
  ofResults,
  perMessage,
  perRequest,
  type WsFault
} from "./wsFault.ts"

const isEnded = (message: Members): boolean => message["method"] === "feed.ended"

/** A service that counts the results of each connection from 0. */
const ownNumbers = (): FaultyConnection => {
  const first = new Map<unknown, number>()
  return {
    message: (message) => {
      const params = message["params"] as Members | undefined
      if (!isResult(message) || params === undefined) return [message]
      const seq = Number(params["seq"])
      first.set(params["feedId"], first.get(params["feedId"]) ?? seq)
      params["seq"] = seq - (first.get(params["feedId"]) ?? 0)
      return [message]
    }
  }
}

/** A service that sends one more result of a feed after its end. */
const lateResult = (): FaultyConnection => {
  let last: Members | undefined
  return {
    message: (message) => {
      if (isResult(message)) last = message
      return isEnded(message) && last !== undefined ? [message, last] : [message]
    }
  }
}

/** A service whose `feed.stop` silences every feed that its connection has. */
const oneStopForAll = (): FaultyConnection => {
  const started = new Set<unknown>()
  const silenced = new Set<unknown>()
  return {
    message: (message) => {
      const feedId = at(message, "params", "feedId")
      if (isResult(message)) return silenced.has(feedId) ? [] : [message]
      const answered = at(message, "result", "feedId")
      if (answered !== undefined && started.has(answered)) for (const each of started) silenced.add(each)
      if (answered !== undefined) started.add(answered)
      return [message]
    }
  }
}

const executeOf = (params: Members): Members => Object(params["execute"]) as Members

/** The faults. */
export const followFaults: ReadonlyArray<WsFault> = [
  ofResults("results without a tick", "WS-FOLLOW-001", (params) => delete params["tick"]),
  { name: "each connection counts for itself", foundBy: "WS-FOLLOW-002", connection: ownNumbers },
  perRequest("every follower begins now", "WS-FOLLOW-002", (params) => delete params["after"]),
  perMessage("nobody is told of the end", "WS-FOLLOW-003", (message) => (isEnded(message) ? [] : [message])),
  { name: "a result after the end", foundBy: "WS-FOLLOW-003", connection: lateResult },
  editingAt("unknown feeds as wrong parameters", "WS-FOLLOW-004", ["error"], (error) => {
    if (error["code"] === 32001) error["code"] = 32602
  }),
  perRequest("any place is followed", "WS-FOLLOW-004", (params) => delete params["after"]),
  perRequest("one encoding for all feeds", "WS-FEED-010", (params) => {
    if (params["execute"] !== undefined) executeOf(params)["encoding"] = "utf8"
  }),
  ofResults("numbers across feeds", "WS-FEED-010", (params) => (params["seq"] = Number(params["seq"]) + 1)),
  perRequest("feeds without a summary", "WS-FEED-011", (params) => {
    if (params["execute"] !== undefined) delete executeOf(params)["includeSummary"]
  }),
  ofResults("copies beside the data of an error", "WS-FEED-011", (params) => {
    const phase = at(params, "error", "data", "execute")
    if (phase !== undefined) (params["error"] as Members)["execute"] = phase
  }),
  editing("results under ids of their own", "WS-FEED-012", (message) => {
    const data = at(message, "params", "result", "data")
    if (typeof data === "object" && data !== null) (data as Members)["id"] = globalThis.crypto.randomUUID()
  }),
  { name: "a stop silences every feed of its connection", foundBy: "WS-FEED-013", connection: oneStopForAll },
  ofResults("times as texts", "WS-DOCS-001", (params) => (params["startedAt"] = String(params["startedAt"]))),
  editingAt("errors without a code", "WS-DOCS-001", ["error"], (error) => delete error["code"]),
  editingAt("ends without a reason", "WS-DOCS-003", ["params"], (params) => {
    if (params["why"] === "removed") delete params["why"]
  }),
  editingAt("feed.stop is an unknown method", "WS-DOCS-002", ["error"], (error) => {
    if (error["code"] === 32001) error["code"] = 32601
  })
]
