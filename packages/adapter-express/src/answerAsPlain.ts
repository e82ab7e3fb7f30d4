/** Answers a request that only offers another protocol as if it did not offer one (RFC 9110, section 7.8). */
import { IncomingMessage, type Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { closeInOrder } from "./closeInOrder.ts"

/** A copy of the request whose body is still to come: Node has ended the body of an upgrade request. */
const requestAgain = (offer: IncomingMessage, raw: Duplex): IncomingMessage => {
  const { headers, httpVersion, httpVersionMajor, httpVersionMinor, method, rawHeaders, url } = offer
  const again = new IncomingMessage(raw as Socket)
  return Object.assign(again, { headers, httpVersion, httpVersionMajor, httpVersionMinor, method, rawHeaders, url })
}

/** Gives the request its body: `head` and what follows, up to its declared length. What comes after is dropped. */
const feed = (request: IncomingMessage, raw: Duplex, head: Buffer): void => {
  let missing = Number(request.headers["content-length"] ?? 0)
  const take = (bytes: Buffer): void => {
    const part = bytes.subarray(0, missing)
    missing -= part.length
    if (part.length > 0 && !request.push(part)) raw.pause()
    if (missing > 0) return
    raw.off("data", take).resume()
    request.complete = true
    request.push(null)
  }
  const leave = (): void => void (missing > 0 && request.destroy())
  request._read = () => void raw.resume()
  raw.once("end", leave).once("close", leave).on("data", take)
  take(head)
}

/**
 * Hands a request that Node has taken for an upgrade to the server's own listeners. Its connection is closed after the
 * answer, because Node's parser has left it. No response may be under way on it.
 */
export const answerAsPlain = (server: Server, offer: IncomingMessage, raw: Duplex, head: Buffer): void => {
  const request = requestAgain(offer, raw)
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(raw as Socket)
  response.once("finish", () => closeInOrder(raw))
  feed(request, raw, head)
  if (/\b100-continue\b/i.test(request.headers.expect ?? "")) response.writeContinue()
  server.emit("request", request, response)
}
