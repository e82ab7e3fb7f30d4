/** Ends the connections of clients that take nothing of their answers, which would wait in memory for ever. */
import type { Server } from "node:http"
import type { Socket } from "node:net"

/**
 * Ends a connection of the server on which nothing has moved for `unreadMs` while an answer is to be sent. One that waits for its answer goes
 * on; `isIdle` knows those without a request, which the server's own bound for them has ended until now.
 */
export const cutUnread = (server: Server, unreadMs: number, isIdle: (socket: Socket) => boolean): void => {
  server.timeout = unreadMs
  server.on("timeout", (socket) => {
    if (socket.writableLength > 0 || isIdle(socket)) socket.destroy()
  })
}
