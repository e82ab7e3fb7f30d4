/** Lets a Node server accept several connections in each turn of its event loop. */
import { spawn } from "node:child_process"
import { createServer, type Server } from "node:net"

/** Sends every socket back, and ends with the channel. Over a channel a socket is duplicated: what comes back is another descriptor of the same one. */
const echo = "process.on('message', (at, socket) => process.send(at, socket, { keepOpen: true }))"

/**
 * The bare socket of a server. A server that is sent over a channel accepts connections as soon as it has arrived, and what the child
 * accepted, or this process before it has a listener, nobody would ever answer; a bare socket only waits.
 */
const socketOf = (server: Server): object | undefined => (server as unknown as { readonly _handle?: object })._handle

/** Calls `take` with copies of a listening socket, each with a descriptor of its own; resolves when there are `count`, or no more can be had. */
const copySocket = (server: Server, count: number, take: (copy: object) => void): Promise<void> =>
  new Promise((resolve) => {
    const socket = socketOf(server)
    if (socket === undefined || count === 0) return resolve()
    let taken = 0
    const child = spawn(process.execPath, ["-e", echo], { env: {}, stdio: ["ignore", "ignore", "ignore", "ipc"] })
    const finish = (): void => {
      child.kill()
      resolve()
    }
    child.once("error", finish)
    child.once("exit", finish)
    child.on("message", (_at, copy) => {
      take(copy as object)
      taken += 1
      if (taken === count) finish()
    })
    // A send that fails is followed by `exit`.
    for (let at = 0; at < count; at += 1) child.send(at, socket as Server, { keepOpen: true }, () => undefined)
  })

/**
 * Node accepts one connection of a listening socket in each turn of its event loop. Under load a turn takes some twenty milliseconds, so that
 * new connections, those of a health check too, wait for a minute behind a few thousand others. Each further descriptor of the socket
 * lets it accept one more. Answers how to stop; until then `server` gets the connections as if it had accepted them itself.
 */
export const acceptMore = async (server: Server, count: number): Promise<() => Promise<void>> => {
  const listening: Server[] = []
  await copySocket(server, count, (copy) => {
    // As an HTTP server of Node is made.
    const further = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit("connection", socket))
    listening.push(further.listen(copy))
  })
  return async () => {
    await Promise.all(listening.map((each) => new Promise((resolve) => each.close(resolve))))
  }
}
