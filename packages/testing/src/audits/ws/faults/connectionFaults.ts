/** Faults that a service could have in its connections: handshakes, frames, silent and slow clients, load. */
import { at } from "../../rest/call.ts"
import { encodeFrame, opcodes } from "../../../wire/frames.ts"
import {
  editing,
  editingAt,
  type FaultyConnection,
  isReply,
  isResult,
  type Members,
  objectOf,
  ofResults,
  otherClose,
  perFrame,
  type WsFault
} from "./wsFault.ts"

/** The key of the example in RFC 6455, section 1.3, for which the audits' client expects the specified answer. */
const properHandshake = ["sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==", "sec-websocket-version: 13"]

/** Adds a valid key and version to any upgrade request. */
const completedHandshake = (head: string): string => {
  const lines = head.split("\r\n").filter((line) => !/^sec-websocket-(?:key|version):/i.test(line))
  return (/^upgrade:/im.test(head) ? [...lines, ...properHandshake] : lines).join("\r\n")
}

/** A service that answers an id on one connection with the reply to the same id on another one. */
const sharedReplies = (): (() => FaultyConnection) => {
  const results = new Map<unknown, unknown>()
  return () => ({
    message: (message) => {
      if (!isReply(message) || !("result" in message)) return [message]
      const { id } = message
      if (!results.has(id)) results.set(id, message["result"])
      return [{ ...message, result: results.get(id) }]
    }
  })
}

const envelope = new Set(["jsonrpc", "id", "method", "params"])

/** A service that refuses a request with an unknown member. */
const strictEnvelopes = (): FaultyConnection => ({
  received: (frame) => {
    // What is no request, or a part of one, is left alone.
    const request = frame.opcode === opcodes.text ? objectOf(frame.payload.toString()) : undefined
    if (request === undefined) return [frame]
    const isKnown = Object.keys(request).every((name) => envelope.has(name))
    return [isKnown ? frame : { ...frame, payload: JSON.stringify({ ...request, jsonrpc: "1.0" }) }]
  }
})

/** A service that shortens answers to long inputs, so that no output accumulates for a client that does not read. */
const briefAnswers = (): FaultyConnection => ({
  received: (frame) => {
    if (frame.opcode !== opcodes.text || frame.payload.length < 10_000) return [frame]
    return [{ ...frame, payload: frame.payload.toString().replace(/f{10,}/, "f") }]
  }
})

/** A service that decodes each fragment as a separate text, so that a character split across two of them is lost. */
const fragmentsAsTexts = (): FaultyConnection => {
  let isFragmented = false
  return {
    received: (frame) => {
      if (frame.opcode >= opcodes.close) return [frame]
      isFragmented ||= !frame.fin
      const payload = isFragmented ? frame.payload.toString() : frame.payload
      if (frame.fin) isFragmented = false
      return [{ ...frame, payload }]
    }
  }
}

/** A service that treats whatever arrives together as a whole frame. */
const framesByArrival = (): FaultyConnection => ({
  receivedBytes: (bytes) => (bytes.length < 6 ? encodeFrame({ opcode: 3, payload: bytes }) : bytes)
})

/** A service that sends every hundredth reply twice. */
const doubledReplies = (): FaultyConnection => {
  let replies = 0
  return {
    message: (message) => {
      if (isReply(message)) replies += 1
      return isReply(message) && replies % 100 === 0 ? [message, message] : [message]
    }
  }
}

/** Spoils a signature of r‖s‖v in hex, and leaves its form. */
const spoiled = (data: Members): void => {
  const signature = String(data["signature"])
  data["signature"] = `${signature.startsWith("0") ? "1" : "0"}${signature.slice(1)}`
}

/** The faults of connections. */
export const connectionFaults: ReadonlyArray<WsFault> = [
  { name: "half handshakes are completed", foundBy: "WS-CONN-005", requestHead: completedHandshake },
  { name: "replies are shared by id", foundBy: "WS-CONN-008", connections: sharedReplies },
  { name: "unknown members are refused", foundBy: "WS-RPC-005", connection: strictEnvelopes },
  ofResults("a feed without credits starts again", "WS-FEED-004", (params) => {
    if (at(params, "error", "_tag") === "InsufficientCredits") params["seq"] = 0
  }),
  editingAt("results of feeds are signed for nobody", "WS-FEED-002", ["params", "result", "data"], spoiled),
  editing("notifications of another version", "WS-FEED-002", (message) => {
    if (isResult(message)) message["jsonrpc"] = "1.0"
  }),
  editingAt("failures of feeds are signed for nobody", "WS-FEED-003", ["params", "error", "data"], spoiled),
  editingAt("failures of feeds without a text", "WS-FEED-003", ["params", "error"], (error) => {
    error["error"] = ""
    error["message"] = ""
  }),
  editingAt("failures are signed for nobody", "WS-EXEC-004", ["error", "data"], spoiled),
  { name: "feeds of a broken connection go on", foundBy: "WS-FEED-009", keepsDeadConnections: true },
  { name: "each fragment is a text", foundBy: "WS-FRAME-002", connection: fragmentsAsTexts },
  { name: "a frame in pieces is not recognized", foundBy: "WS-FRAME-003", connection: framesByArrival },
  perFrame("no pings", "WS-LIVE-002", (frame) => (frame.opcode === opcodes.ping ? [] : [frame])),
  { name: "slow readers are answered in brief", foundBy: "WS-LIVE-005", connection: briefAnswers },
  otherClose("too slow is a normal close", "WS-LIVE-006", 1013),
  editing("a malformed request has a result", "WS-LOAD-001", (message) => {
    if ("error" in message) message["result"] = {}
  }),
  { name: "broken connections stay", foundBy: "WS-LOAD-002", keepsDeadConnections: true },
  { name: "some replies come twice", foundBy: "WS-LOAD-003", connection: doubledReplies }
]
