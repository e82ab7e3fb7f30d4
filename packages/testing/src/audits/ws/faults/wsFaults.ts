/** Faults that a service could have over its WebSockets, each with the audit that must detect it: they prove that the audits can fail. */
import { at } from "../../rest/call.ts"
import { connectionFaults } from "./connectionFaults.ts"
import { followFaults } from "./followFaults.ts"
import { parameterFaults } from "./parameterFaults.ts"
import { shareFaults } from "./shareFaults.ts"
import { ticketFaults } from "./ticketFaults.ts"
import { opcodes } from "../../../wire/frames.ts"
import {
  editing,
  editingAt,
  type FaultyConnection,
  isAuthorized,
  isReply,
  isResult,
  isStopReply,
  type Members,
  ofResults,
  otherClose,
  perFrame,
  perMessage,
  swapping,
  withStatus,
  type WsFault
} from "./wsFault.ts"

/** Sends the last result of a feed again after its stop. */
const lateResult = (): FaultyConnection => {
  let last: Members | undefined
  return {
    message: (message) => {
      if (isResult(message)) last = message
      return isStopReply(message) && last !== undefined ? [message, last] : [message]
    }
  }
}

/** Tells only of every second run of a feed, as if there were no others. */
const everySecond = (): FaultyConnection => ({
  message: (message) => {
    const params = message["params"] as Members | undefined
    if (!isResult(message) || params === undefined) return [message]
    const seq = Number(params["seq"])
    params["seq"] = seq / 2
    return seq % 2 === 0 ? [message] : []
  }
})

const errorMember = ["error"] as const

/** Every fault. A new audit needs a new fault. */
export const wsFaults: ReadonlyArray<WsFault> = [
  perMessage("authorized comes twice", "WS-CONN-001", (message) => (isAuthorized(message) ? [message, message] : [message])),
  editingAt("authorized does not name the key", "WS-CONN-001", ["params"], (params) => delete params["apiKeyId"]),
  editing("authorized without jsonrpc", "WS-CONN-001", (message) => {
    if (isAuthorized(message)) delete message["jsonrpc"]
  }),
  { name: "unauthenticated clients get 403", foundBy: "WS-CONN-002", head: withStatus(401, 403) },
  { name: "no challenge", foundBy: "WS-CONN-002", head: (head) => head.replace(/www-authenticate/i, "x-nothing") },
  { name: "plain requests get 400", foundBy: "WS-CONN-003", head: withStatus(426, 400) },
  { name: "too many connections get 503", foundBy: "WS-CONN-004", head: withStatus(429, 503) },
  swapping("authorized comes after a reply", "WS-CONN-006", isAuthorized),
  otherClose("a close is answered with another code", "WS-CONN-007", 1000),
  editingAt("negative codes", "WS-RPC-001", errorMember, (error) => (error["code"] = -Number(error["code"]))),
  editingAt("errors without message", "WS-RPC-001", errorMember, (error) => delete error["message"]),
  editingAt("invalid JSON is an invalid request", "WS-RPC-002", errorMember, (error) => {
    if (error["code"] === 32700) error["code"] = 32600
  }),
  editing("ids are trimmed", "WS-RPC-003", (message) => {
    if (typeof message["id"] === "string") message["id"] = message["id"].trim()
  }),
  perMessage("every reply comes twice", "WS-RPC-004", (message) => (isReply(message) ? [message, message] : [message])),
  swapping("results cross", "WS-FEED-001", isReply),
  {
    name: "each reply has the result of the previous one",
    foundBy: "WS-RPC-004",
    connection: () => {
      let before: unknown
      return {
        message: (message) => {
          const own = message["result"]
          if (isReply(message) && before !== undefined) message["result"] = before
          before = own
          return [message]
        }
      }
    }
  },
  editingAt(
    "another signature",
    "WS-EXEC-001",
    ["result", "data"],
    (data) => (data["signature"] = `00${String(data["signature"]).slice(2)}`)
  ),
  editingAt("no logs beside data", "WS-EXEC-002", ["result"], (result) => delete result["tally"]),
  editingAt("no summary", "WS-EXEC-003", ["result", "data"], (data) => delete data["summary"]),
  editingAt("failures without a code", "WS-EXEC-004", errorMember, (error) => delete error["code"]),
  editing("failures are results", "WS-EXEC-004", (message) => {
    if (at(message, "error", "_tag") !== "FailedExecutionResponse") return
    message["result"] = message["error"]
    delete message["error"]
  }),
  editingAt("no credits is a server error", "WS-EXEC-005", errorMember, (error) => (error["code"] = 36000)),
  editingAt("every answer has a new id", "WS-EXEC-006", ["result", "data"], (data) => (data["id"] = globalThis.crypto.randomUUID())),
  editingAt("nothing is injected", "WS-EXEC-007", ["result", "data"], (data) => (data["result"] = "DR_ID=\0")),
  ofResults("results without seq", "WS-FEED-002", (params) => delete params["seq"]),
  ofResults("failed runs as text", "WS-FEED-003", (params) => (params["error"] = at(params, "error", "error"))),
  { name: "a late result after stop", foundBy: "WS-FEED-005", connection: lateResult },
  editingAt("a foreign feed is an unknown method", "WS-FEED-006", errorMember, (error) => (error["code"] = 32601)),
  editingAt("feeds share an id", "WS-FEED-007", ["result"], (result) => (result["feedId"] = "feed")),
  editingAt("a program is unknown before it is disallowed", "WS-FEED-008", errorMember, (error) => (error["code"] = 36004)),
  editingAt("a quote of its own", "WS-CREDIT-001", ["result", "data", "quote"], (quote) => (quote["worstCase"] = "1")),
  editingAt("an unnamed flag", "WS-CREDIT-002", ["error", "details"], (details) => (details["parameter"] = "params")),
  ofResults("a limit as an empty balance", "WS-CREDIT-003", (params) => {
    params["error"] = { ...Object(params["error"]), _tag: "InsufficientCredits", code: 36003 }
  }),
  ofResults("an overlapping FIXED run", "WS-MODE-001", (params) => {
    if (params["seq"] === 7) params["startedAt"] = Number(params["startedAt"]) - 100
  }),
  ofResults("FIXED drifts", "WS-MODE-001", (params) => {
    for (const name of ["scheduledAt", "startedAt"]) params[name] = Number(params[name]) + Number(params["seq"])
  }),
  { name: "FIXED runs at half its rate", foundBy: "WS-MODE-001", connection: everySecond },
  ofResults("SEQUENTIAL waits for two periods", "WS-MODE-002", (params) => {
    for (const name of ["scheduledAt", "startedAt"]) params[name] = Number(params[name]) + 40 * Number(params["seq"])
  }),
  ofResults("SEQUENTIAL starts when the run ends", "WS-MODE-002", (params) => {
    for (const name of ["scheduledAt", "startedAt"]) params[name] = 1_700_000_000_000 + 5 * Number(params["seq"])
  }),
  ofResults("PARALLEL drifts", "WS-MODE-003", (params) => (params["scheduledAt"] = Number(params["scheduledAt"]) + Number(params["seq"]))),
  ofResults("PARALLEL drops a start", "WS-MODE-003", (params) => {
    if (Number(params["seq"]) >= 5) params["seq"] = Number(params["seq"]) + 1
  }),
  otherClose("bytes are a normal close", "WS-FRAME-001", 1003),
  otherClose("invalid UTF-8 is a normal close", "WS-FRAME-001", 1007),
  perFrame("masked frames", "WS-FRAME-004", (frame) => [{ ...frame, masked: true }]),
  perFrame("fragmented frames", "WS-FRAME-004", (frame) =>
    frame.opcode === opcodes.text
      ? [
          { ...frame, fin: false },
          { opcode: opcodes.continuation, masked: false }
        ]
      : [frame]
  ),
  perFrame("empty pongs", "WS-LIVE-001", (frame) => (frame.opcode === opcodes.pong ? [{ ...frame, payload: "" }] : [frame])),
  otherClose("a revoked key is a normal close", "WS-LIVE-003", 1008),
  otherClose("an expired key is a normal close", "WS-LIVE-004", 1008),
  { name: "an expired key is forbidden", foundBy: "WS-LIVE-004", head: withStatus(401, 403) },
  otherClose("the service's shutdown is a normal close", "WS-END-001", 1001),
  ...parameterFaults,
  ...ticketFaults,
  ...followFaults,
  ...shareFaults,
  ...connectionFaults
]
