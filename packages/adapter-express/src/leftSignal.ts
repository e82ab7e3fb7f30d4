/** A signal that is aborted when a client disconnects. */
import { setMaxListeners } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"

/** Of connections. Making a signal takes longer than answering a small request, and a connection has many of those. */
const signals = new WeakMap<Socket, AbortSignal>()

const signalOf = (socket: Socket): AbortSignal => {
  const known = signals.get(socket)
  if (known !== undefined) return known
  const left = new AbortController()
  // Pipelined requests listen at the same time.
  setMaxListeners(0, left.signal)
  socket.once("close", () => left.abort())
  if (socket.destroyed) left.abort()
  signals.set(socket, left.signal)
  return left.signal
}

/** Whether the request has its connection for itself until it is answered; those of HTTP/2 share theirs, and can end without it. */
const isOfHttp1 = ({ httpVersionMajor, socket }: IncomingMessage): boolean => httpVersionMajor === 1 && socket instanceof Socket

/** Aborted when the client of this request disconnects before it has its answer, and later at the end of a connection that goes on. */
export const leftSignal = (request: IncomingMessage, response: ServerResponse): AbortSignal => {
  if (isOfHttp1(request)) return signalOf(request.socket)
  const left = new AbortController()
  response.once("close", () => response.writableFinished || left.abort())
  if (response.destroyed && !response.writableFinished) left.abort()
  return left.signal
}
