/** A connection to PostgreSQL that is closed after a long silence. */
import { Socket } from "node:net"

/**
 * A socket that ends with an error after `silenceMs` without a byte in either direction. PostgreSQL answers our queries quickly; without
 * this, a frozen server or a network that drops packets would be waited for indefinitely. Idle connections are closed too, as the pool
 * closes them anyway.
 */
export const watchedSocket = (silenceMs: number): Socket => {
  const socket = new Socket()
  socket.setTimeout(silenceMs, () => {
    const message = `the database was silent for ${silenceMs} ms`
    socket.destroy(Object.assign(new Error(message), { code: "ETIMEDOUT" }))
  })
  return socket
}
