/** For tests: an upstream on loopback that can be made to fail, and the setting that leads programs to it. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { askedHost } from "@sibyl/testing"

/** The upstream of the kit's program that asks one. */
export class FailingUpstream {
  readonly #server: Server
  #works = true

  private constructor() {
    this.#server = createServer((request, response) => {
      if (this.#works) response.end("42")
      else request.socket.destroy()
    })
  }

  /** Listens on a free port. */
  static async open(): Promise<FailingUpstream> {
    const upstream = new FailingUpstream()
    await new Promise<void>((resolve) => upstream.#server.listen(0, "127.0.0.1", resolve))
    return upstream
  }

  /** For the configuration of a server. */
  get outbound() {
    return { hostOverrides: { [askedHost]: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}` } }
  }

  /** From then on it answers, or not. */
  async set(works: boolean): Promise<void> {
    this.#works = works
  }

  /** Stops. */
  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
