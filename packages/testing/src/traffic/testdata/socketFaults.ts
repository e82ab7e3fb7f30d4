/** Faults of connections and feeds. */
import { isReply, isResult, resultOf, seam, type SeededFault } from "./seededFault.ts"
import { everyNth, type Members, onMessage, onSocket, within } from "./tamper.ts"

/** All of them. */
export const socketFaults: ReadonlyArray<SeededFault> = [
  seam("every third reply twice", ["one-answer"], () => {
    const isTwice = everyNth(3)
    return onSocket(() => ({ message: (message) => (isReply(message) && isTwice() ? [message, message] : [message]) }))
  }),
  seam("every fourth reply is lost", ["one-answer"], () => {
    const isLost = everyNth(4)
    return onSocket(() => ({ message: (message) => (isReply(message) && isLost() ? [] : [message]) }))
  }),
  seam("the reply to another request", ["one-answer"], () => {
    const isOther = everyNth(4)
    return onMessage((message) => {
      if (typeof message["id"] === "string" && isOther()) message["id"] = `${message["id"]}0`
    })
  }),
  seam("authorized twice", ["socket"], () =>
    onSocket(() => ({ message: (message) => (message["method"] === "authorized" ? [message, message] : [message]) }))
  ),
  seam("code 32000 for every error", ["shape"], () =>
    onMessage((message) => {
      const error = within(message, "error")
      if ("code" in error) error["code"] = 32_000
    })
  ),
  seam("a result after the stop", ["feed"], () =>
    onSocket(() => {
      let last: Members | undefined
      return {
        message: (message) => {
          if (isResult(message)) last = message
          const isStop =
            isReply(message) &&
            within(message, "result")["feedId"] !== undefined &&
            last !== undefined &&
            within(last, "params")["feedId"] === within(message, "result")["feedId"]
          const { seq } = within(last, "params")
          const late = { ...last, params: { ...within(last, "params"), seq: Number(seq) + 1 } }
          return isStop ? [message, late] : [message]
        }
      }
    })
  ),
  seam("every fourth result of a feed is lost", ["feed"], () => {
    const isLost = everyNth(4)
    return onSocket(() => ({ message: (message) => (isResult(message) && isLost() ? [] : [message]) }))
  }),
  seam("every fourth result of a feed twice", ["feed"], () => {
    const isTwice = everyNth(4)
    return onSocket(() => ({ message: (message) => (isResult(message) && isTwice() ? [message, message] : [message]) }))
  }),
  seam("seq from 1", ["feed"], () =>
    onMessage((message) => {
      if (isResult(message)) within(message, "params")["seq"] = Number(within(message, "params")["seq"]) + 1
    })
  ),
  seam("FIXED runs that overlap", ["feed"], () =>
    onSocket(() => ({ received: (text) => text.replace('"mode":"FIXED"', '"mode":"PARALLEL"') }))
  ),
  seam("SEQUENTIAL counted from the start", ["feed"], () =>
    onSocket(() => ({ received: (text) => text.replace('"mode":"SEQUENTIAL"', '"mode":"FIXED"') }))
  ),
  seam("PARALLEL that waits", ["feed"], () =>
    onSocket(() => ({ received: (text) => text.replace('"mode":"PARALLEL"', '"mode":"FIXED"') }))
  ),
  seam("results of one feed under the id of another", ["feed"], () =>
    onSocket(() => {
      const ids = new Set<unknown>()
      return {
        message: (message) => {
          if (isResult(message)) {
            ids.add(within(message, "params")["feedId"])
            within(message, "params")["feedId"] = [...ids][0]
          }
          return [message]
        }
      }
    })
  ),
  seam("the inputs of a feed are lost", ["request", "result"], () =>
    onMessage((message) => {
      const request = within(resultOf(message), "data", "dataRequest")
      if ("execInputs" in request) request["execInputs"] = ""
    })
  )
]
