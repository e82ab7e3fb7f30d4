/** For tests: a network between clients and a model of the service, which loses, repeats, delays, stalls and cuts what it is told to. */
import type { Fetch, Platform, WebSocketLike } from "../ground/platform.ts"
import type { VirtualTime } from "./virtualTime.ts"

/** What happens to one message of the service. */
export type MessageFault = "none" | "lost" | "twice" | "late"

/** What happens to all connections at once. */
export type ConnectionFault = "cut" | "stalled" | "refused" | "restarted"

/** One end of a connection at the service. */
export interface ServerEnd {
  readonly send: (message: object) => void
  readonly onRequest: (request: { readonly id: string; readonly method: string; readonly params: never }) => void
  readonly onClosed: () => void
}

/** Makes the service's end of a new connection, given what sends to the client and the address that was asked for. */
export type Accept = (send: (message: object) => void, url: string) => Omit<ServerEnd, "send">

/** What the event of a close tells, where the other side has sent a close frame. */
interface CloseEvent {
  readonly code?: number
  readonly reason?: string
}

interface Connection {
  /** Nothing passes any more, in either direction, and nobody is told. */
  isStalled: boolean
  readonly end: (close?: CloseEvent) => void
}

/** The network. */
export class ModelNetwork {
  readonly time: VirtualTime
  readonly #accept: Accept
  readonly #connections = new Set<Connection>()
  /** The fault of the next message; none when there are no more. */
  #faults: Array<MessageFault> = []
  #refusals = 0
  /** What runtimes that tell it say of a refused upgrade. */
  refusalSays = "nobody listens"

  constructor(time: VirtualTime, accept: Accept) {
    this.time = time
    this.#accept = accept
  }

  /** How many connections are open. */
  get connections(): number {
    return this.#connections.size
  }

  /** The next messages suffer these faults. */
  fault(...faults: ReadonlyArray<MessageFault>): void {
    this.#faults.push(...faults)
  }

  /** No more faults. */
  heal(): void {
    this.#faults = []
    this.#refusals = 0
  }

  /** The next so many requests and upgrades are not answered. */
  refuse(count: number): void {
    this.#refusals += count
  }

  /** Ends all connections: both sides are told, the client with a close frame if one is given. */
  cut(close?: CloseEvent): void {
    for (const connection of [...this.#connections]) connection.end(close)
  }

  /** All connections are half open from now on. */
  stall(): void {
    for (const connection of this.#connections) connection.isStalled = true
  }

  /** The platform of a client on this network. */
  platform(random: () => number): Platform {
    let ids = 0
    return {
      fetch: this.#fetch,
      WebSocket: this.#webSocketClass() as unknown as NonNullable<Platform["WebSocket"]>,
      after: this.time.after,
      random,
      newId: () => String((ids += 1))
    }
  }

  #isRefused(): boolean {
    if (this.#refusals === 0) return false
    this.#refusals -= 1
    return true
  }

  readonly #fetch: Fetch = (url) =>
    new Promise((resolve, reject) => {
      this.time.after(1, () => {
        if (this.#isRefused()) return reject(new TypeError("fetch failed"))
        const isTicket = url.endsWith("/tickets")
        const body = isTicket ? { ticket: "sibylt_model_0" } : { _tag: "OutsideTicket", error: "no" }
        resolve({
          ok: isTicket,
          status: isTicket ? 201 : 403,
          headers: new Headers(),
          text: () => Promise.resolve(JSON.stringify(body))
        })
      })
    })

  #webSocketClass(): new (url: string) => WebSocketLike {
    const network = this
    return class implements WebSocketLike {
      onopen: WebSocketLike["onopen"] = null
      onmessage: WebSocketLike["onmessage"] = null
      onclose: WebSocketLike["onclose"] = null
      onerror: WebSocketLike["onerror"] = null
      send: (text: string) => void = () => undefined
      close: () => void = () => undefined

      constructor(url: string) {
        network.#connect(this, url)
      }
    }
  }

  #connect(socket: WebSocketLike & { send: unknown; close: unknown }, url: string): void {
    const { time } = this
    let isOpen = true
    const tell = (text: string): void => {
      if (isOpen) socket.onmessage?.({ data: text } as never)
    }
    const refused = this.#isRefused()
    const ends = { server: undefined as Omit<ServerEnd, "send"> | undefined }
    const connection: Connection = {
      isStalled: false,
      end: (close = {}) => {
        if (!isOpen) return
        isOpen = false
        this.#connections.delete(connection)
        ends.server?.onClosed()
        if (refused) socket.onerror?.({ message: this.refusalSays } as never)
        socket.onclose?.(close as never)
      }
    }
    Object.assign(socket, {
      send: (text: string) => {
        time.after(1, () => {
          if (isOpen && !connection.isStalled) ends.server?.onRequest(JSON.parse(text))
        })
      },
      // The service learns of it only where the way is free.
      close: () => (connection.isStalled ? time.after(5_000, () => connection.end()) : time.after(1, () => connection.end()))
    })
    time.after(1, () => {
      if (refused) return connection.end()
      this.#connections.add(connection)
      ends.server = this.#accept((message) => this.#pass(connection, tell, JSON.stringify(message)), url)
    })
  }

  /** Messages arrive after a millisecond, in order, but for their faults. */
  #pass(connection: Connection, tell: (text: string) => void, text: string): void {
    const fault = this.#faults.shift() ?? "none"
    const arrive = (inMs: number): void => {
      this.time.after(inMs, () => {
        if (!connection.isStalled) tell(text)
      })
    }
    if (fault !== "lost") arrive(fault === "late" ? 2_500 : 1)
    if (fault === "twice") arrive(1)
  }
}
