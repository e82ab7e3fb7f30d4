/** A connection to PostgreSQL that ends when it has been silent for too long. */
import { Socket } from "node:net"

/**
 * A socket that ends with an error after `silenceMs` without a byte in either direction. PostgreSQL answers every query
 * that we ask within a moment; a server that was frozen, or a network that swallows packets, would be waited for without
 * end. Connections that nobody uses end by it too, as the pool lets idle ones go anyway.
 */
export const watchedSocket = (silenceMs: number): Socket => {
  const socket = new Socket()
  socket.setTimeout(silenceMs, () => {
    const message = `the database was silent for ${silenceMs} ms`
    socket.destroy(Object.assign(new Error(message), { code: "ETIMEDOUT" }))
  })
  return socket
}
