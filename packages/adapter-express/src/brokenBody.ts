/** Bodies that Node's parser has refused: it tells the server, and nobody who reads the request. */
import type { IncomingMessage } from "node:http"

const broken = new WeakSet<IncomingMessage>()

const event = "sibylBodyBroken"

/** The rest of the body will never come. */
export const breakBody = (request: IncomingMessage): void => {
  broken.add(request)
  request.emit(event)
}

/** Calls `then` once the body is broken, at once if it is. */
export const whenBroken = (request: IncomingMessage, then: () => void): void => {
  if (broken.has(request)) then()
  else request.once(event, then)
}
