/** For tests: a TCP proxy on loopback in front of a database, which can stall, reset and resume its connections. */
import { connect, createServer, type Server, type Socket } from "node:net"

/** Forwards bytes while it is open. */
export class Gate {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #isOpen = true
  #port = 0

  private constructor(target: number) {
    this.#server = createServer((near) => {
      const far = connect(target, "127.0.0.1")
      near.pipe(far).pipe(near)
      for (const [socket, other] of [
        [near, far],
        [far, near]
      ] as const) {
        this.#sockets.add(socket)
        socket.on("error", () => other.destroy())
        socket.on("close", () => {
          this.#sockets.delete(socket)
          other.destroy()
        })
        if (!this.#isOpen) socket.pause()
      }
    })
  }

  /** Opens a gate in front of a port of this machine. */
  static async before(target: number): Promise<Gate> {
    const gate = new Gate(target)
    await new Promise<void>((resolve) => gate.#server.listen(0, "127.0.0.1", resolve))
    const address = gate.#server.address()
    gate.#port = typeof address === "object" && address !== null ? address.port : 0
    return gate
  }

  get port(): number {
    return this.#port
  }

  /** From now on nothing is forwarded; connections stay open. */
  shut(): void {
    this.#isOpen = false
    for (const socket of this.#sockets) socket.pause()
  }

  /** Opens it again. */
  open(): void {
    this.#isOpen = true
    for (const socket of this.#sockets) socket.resume()
  }

  /** Ends every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Ends everything. */
  async close(): Promise<void> {
    this.cut()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
