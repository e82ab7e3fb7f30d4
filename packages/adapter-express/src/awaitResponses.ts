/** Waits until the answers to everything that came before on a connection are sent. */
import type { ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

/** Node's own field for the response that a connection is sending; another one may be assigned when it is empty. */
interface Sending {
  readonly _httpMessage?: ServerResponse | null
}

/** One response, to its end or to that of its connection. */
const sent = (raw: Duplex, response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    // After an upgrade request, Node no longer emits `drain` on responses.
    const drain = (): void => void response.emit("drain")
    const done = (): void => {
      raw.off("drain", drain).off("close", done)
      response.off("close", done)
      resolve()
    }
    raw.on("drain", drain).once("close", done)
    response.once("close", done)
  })

/**
 * Resolves when no response is under way on a connection that Node has handed over; true when one more can be written.
 * Requests may be pipelined: their answers come in the order of the requests, and nothing may come between them.
 */
export const awaitResponses = async (raw: Duplex): Promise<boolean> => {
  const connection = raw as Duplex & Sending
  for (;;) {
    const sending = connection._httpMessage
    if (raw.destroyed || !raw.writable) return false
    if (sending === undefined || sending === null) return true
    await sent(raw, sending)
  }
}
