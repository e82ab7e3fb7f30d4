/** Faults that a service could have in shared feeds, each with the audit that must detect it. */
import { opcodes } from "../../../wire/frames.ts"
import { type FaultyConnection, isResult, isStopReply, type Members, ofResults, editing, type WsFault } from "./wsFault.ts"

/** A service that does not know `share`: every connection has a feed of its own. */
const neverShares = (): FaultyConnection => ({
  received: (frame) => {
    if (frame.opcode !== opcodes.text) return [frame]
    return [{ ...frame, payload: frame.payload.toString().replace('"share":true', '"share":false') }]
  }
})

/** A service that numbers results for each subscriber. */
const ownNumbers = (): FaultyConnection => {
  let seq = 0
  return {
    message: (message) => {
      const params = message["params"]
      if (isResult(message) && typeof params === "object" && params !== null) Object.assign(params, { seq: (seq += 1) - 1 })
      return [message]
    }
  }
}

/** A service that begins to send everything twice when a feed is started twice. */
const subscribesTwice = (): FaultyConnection => {
  let started = 0
  return {
    message: (message) => {
      if (isStopReply(message)) started += 1
      return isResult(message) && started > 1 ? [message, message] : [message]
    }
  }
}

const oneId = (members: Members): void => {
  if ("feedId" in members) members["feedId"] = "00000000-0000-8000-8000-000000000000"
}

/** The faults of shared feeds. */
export const shareFaults: ReadonlyArray<WsFault> = [
  { name: "nothing is shared", foundBy: "WS-SHARE-001", connection: neverShares },
  { name: "each subscriber has numbers of its own", foundBy: "WS-SHARE-002", connection: ownNumbers },
  { name: "each subscriber is charged", foundBy: "WS-SHARE-003", connection: neverShares },
  { name: "who starts a feed twice is sent it twice", foundBy: "WS-SHARE-004", connection: subscribesTwice },
  editing("projects share an id", "WS-SHARE-005", (message) => {
    for (const part of [message["result"], message["params"]]) if (typeof part === "object" && part !== null) oneId(part as Members)
  }),
  ofResults("a refusal without its code", "WS-SHARE-006", (params) => {
    if ("error" in params) params["error"] = { ...Object(params["error"]), code: 36000 }
  })
]
