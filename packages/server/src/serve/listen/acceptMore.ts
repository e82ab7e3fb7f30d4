/** Lets a Node server accept several connections in each turn of its event loop. */
import { spawn } from "node:child_process"
import { createServer, type Server } from "node:net"

/**
 * Sends every listening socket that it gets back, and ends with the channel. Over a channel a socket is duplicated: what comes back is another
 * descriptor of the same one.
 */
const echo = "process.on('message', (at, socket) => process.send(at, socket, { keepOpen: true }))"

/** Copies of a listening server, each with a descriptor of its own; as many as can be had. */
const copiesOf = (server: Server, count: number): Promise<readonly Server[]> =>
  new Promise((resolve) => {
    const copies: Server[] = []
    const child = spawn(process.execPath, ["-e", echo], { env: {}, stdio: ["ignore", "ignore", "ignore", "ipc"] })
    const finish = (): void => {
      child.kill()
      resolve(copies)
    }
    child.once("error", finish)
    child.once("exit", finish)
    child.on("message", (_at, copy) => {
      copies.push(copy as Server)
      if (copies.length === count) finish()
    })
    // A send that fails is followed by `exit`.
    for (let at = 0; at < count; at += 1) child.send(at, server, { keepOpen: true }, () => undefined)
  })

/**
 * Node accepts one connection of a listening socket in each turn of its event loop. Under load a turn takes some twenty milliseconds, so that
 * new connections, those of a health check too, wait for a minute behind a few thousand others. Each further descriptor of the socket
 * lets it accept one more. Answers how to stop; until then `server` gets the connections as if it had accepted them itself.
 */
export const acceptMore = async (server: Server, count: number): Promise<() => Promise<void>> => {
  const copies = count === 0 ? [] : await copiesOf(server, count)
  const listening = copies.map((copy) =>
    // As an HTTP server of Node is made.
    createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit("connection", socket)).listen(copy)
  )
  return async () => {
    await Promise.all(listening.map((each) => new Promise((resolve) => each.close(resolve))))
  }
}
