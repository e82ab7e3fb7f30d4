/** The way into a service in this process, through its seam: without a socket, so that simulated time can drive it. */
import type { Opening, Peer, Service, ServiceRequest } from "@sibyl/core"
import type { SocketEars, TrafficWire, WireAnswer, WireRequest, WireSocket } from "./trafficWire.ts"

const requestOf = ({ body = "", headers, method, path }: WireRequest): ServiceRequest => ({
  method,
  url: path,
  header: (name) => headers[name.toLowerCase()],
  body: () => Promise.resolve(new TextEncoder().encode(body))
})

const lowercased = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** A client's end of an open WebSocket: it answers pings, and reads at once. */
class OpenSocket implements WireSocket {
  readonly #peer: Peer
  readonly #ears: SocketEars
  #isOpen = true

  constructor(open: Opening, ears: SocketEars) {
    this.#ears = ears
    this.#peer = open({
      sendTexts: (texts) => {
        for (const text of texts) if (this.#isOpen) ears.heard(text)
      },
      bufferedAmount: () => 0,
      ping: () => this.#peer.pong(),
      close: (code, reason) => this.#end(code, reason),
      terminate: () => this.#end(1006)
    })
  }

  #end(code: number, reason = ""): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#peer.closed(code, reason)
    this.#ears.ended(code)
  }

  send(text: string): void {
    if (this.#isOpen) this.#peer.message(text)
  }

  close(): void {
    this.#end(1000)
  }

  vanish(): void {
    this.#end(1006)
  }

  /** The other end is not there any more, and is not told. */
  cut(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#ears.ended(1006)
  }
}

/** The way into the service of the moment. */
export class ServiceWire implements TrafficWire {
  readonly #current: () => Service
  readonly #sockets = new Set<OpenSocket>()
  readonly #asking = new Set<(cause: Error) => void>()

  constructor(current: () => Service) {
    this.#current = current
  }

  /** Ends everything that is under way as the death of a process would. */
  cut(): void {
    for (const socket of this.#sockets) socket.cut()
    this.#sockets.clear()
    for (const fail of this.#asking) fail(new Error("the service was killed"))
    this.#asking.clear()
  }

  #orCut<A>(work: Promise<A>): Promise<A> {
    return new Promise((resolve, reject) => {
      this.#asking.add(reject)
      const done = (): void => void this.#asking.delete(reject)
      void work.then(resolve, reject).finally(done)
    })
  }

  ask = (request: WireRequest): Promise<WireAnswer> =>
    this.#orCut(
      this.#current()
        .fetch(requestOf(request))
        .then((response) => {
          if (response === undefined) return { status: 404, headers: {}, text: "" }
          const { body, headers, status } = response
          return { status, headers: lowercased(headers), text: typeof body === "string" ? body : new TextDecoder().decode(body) }
        })
    )

  connect = async (headers: Readonly<Record<string, string>>, ears: SocketEars): Promise<WireSocket | number> => {
    const request = requestOf({ method: "GET", path: "/ws/v1", headers, body: undefined })
    const opening = await this.#orCut(this.#current().upgrade(request))
    if (typeof opening !== "function") return opening?.status ?? 404
    const socket = new OpenSocket(opening, ears)
    this.#sockets.add(socket)
    return socket
  }
}
