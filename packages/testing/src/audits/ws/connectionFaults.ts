/** Faults that a service could have in its connections: handshakes, frames, silent and slow clients, load. */
import { at } from "../rest/call.ts"
import { encodeFrame, opcodes } from "../../wire/frames.ts"
import { editing, type FaultyConnection, isReply, type Members, ofResults, otherClose, perFrame, type WsFault } from "./wsFault.ts"

/** The key of the example in RFC 6455, section 1.3: the audits' client knows the answer to it. */
const properHandshake = ["sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==", "sec-websocket-version: 13"]

/** Puts a proper key and version into whatever asks for an upgrade. */
const completedHandshake = (head: string): string => {
  const lines = head.split("\r\n").filter((line) => !/^sec-websocket-(?:key|version):/i.test(line))
  return (/^upgrade:/im.test(head) ? [...lines, ...properHandshake] : lines).join("\r\n")
}

/** What one connection was answered under an id, another one is answered under it too. */
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

/** A service that refuses a request with a member that it does not know. */
const strictEnvelopes = (): FaultyConnection => ({
  received: (frame) => {
    if (frame.opcode !== opcodes.text) return [frame]
    const request = JSON.parse(frame.payload.toString()) as Members
    const isKnown = Object.keys(request).every((name) => envelope.has(name))
    return [isKnown ? frame : { ...frame, payload: JSON.stringify({ ...request, jsonrpc: "1.0" }) }]
  }
})

/** A service that answers long inputs in brief, so that nothing piles up for a client that does not read. */
const briefAnswers = (): FaultyConnection => ({
  received: (frame) => {
    if (frame.opcode !== opcodes.text || frame.payload.length < 10_000) return [frame]
    return [{ ...frame, payload: frame.payload.toString().replace(/f{10,}/, "f") }]
  }
})

/** A service that reads each fragment as a text of its own, so that a character across two of them is lost. */
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

/** A service that takes whatever arrives together for a whole frame. */
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

/** The faults of connections. */
export const connectionFaults: ReadonlyArray<WsFault> = [
  { name: "half handshakes are completed", foundBy: "WS-CONN-005", requestHead: completedHandshake },
  { name: "replies are shared by id", foundBy: "WS-CONN-008", connections: sharedReplies },
  { name: "unknown members are refused", foundBy: "WS-RPC-005", connection: strictEnvelopes },
  ofResults("a feed without credits starts anew", "WS-FEED-004", (params) => {
    if (at(params, "error", "_tag") === "InsufficientCredits") params["seq"] = 0
  }),
  { name: "feeds of a broken connection go on", foundBy: "WS-FEED-009", keepsDeadConnections: true },
  { name: "each fragment is a text", foundBy: "WS-FRAME-002", connection: fragmentsAsTexts },
  { name: "a frame in pieces is none", foundBy: "WS-FRAME-003", connection: framesByArrival },
  perFrame("no pings", "WS-LIVE-002", (frame) => (frame.opcode === opcodes.ping ? [] : [frame])),
  { name: "slow readers are answered in brief", foundBy: "WS-LIVE-005", connection: briefAnswers },
  otherClose("too slow is a normal end", "WS-LIVE-006", 1013),
  editing("what is malformed has a result", "WS-LOAD-001", (message) => {
    if ("error" in message) message["result"] = {}
  }),
  { name: "broken connections stay", foundBy: "WS-LOAD-002", keepsDeadConnections: true },
  { name: "some replies come twice", foundBy: "WS-LOAD-003", connection: doubledReplies }
]
