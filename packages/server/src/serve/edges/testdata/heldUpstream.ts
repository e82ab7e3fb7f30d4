/** For tests: an upstream whose answers wait until they are let go, and a program that asks it once. */
import { createServer, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { assemble } from "@sibyl/testing/wasm"

const host = "held.test"
const action = JSON.stringify({ url: `http://${host}/`, options: {} })

/** Asks the upstream once and exits with 0. */
export const askingProgram = assemble(`
import http_fetch
import proc_exit
data 1024 ${JSON.stringify(action)}
  i32.const 1024
  i32.const ${action.length}
  call http_fetch
  drop
  i32.const 0
  call proc_exit`)

/** The upstream. */
export class HeldUpstream {
  readonly #server: Server
  #held: ReadonlyArray<ServerResponse> = []

  private constructor() {
    this.#server = createServer((_request, response) => {
      this.#held = [...this.#held, response]
    })
  }

  /** Listens on a free port. */
  static async open(): Promise<HeldUpstream> {
    const upstream = new HeldUpstream()
    await new Promise<void>((resolve) => upstream.#server.listen(0, "127.0.0.1", resolve))
    return upstream
  }

  /** The setting that leads the program here. */
  get setting(): string {
    const { port } = this.#server.address() as AddressInfo
    return `outbound.hostOverrides=${JSON.stringify({ [host]: `http://127.0.0.1:${port}` })}`
  }

  /** Requests that wait. */
  get held(): number {
    return this.#held.length
  }

  /** Answers all that wait. */
  letGo(): void {
    for (const response of this.#held) response.end("42")
    this.#held = []
  }

  /** Stops. */
  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
