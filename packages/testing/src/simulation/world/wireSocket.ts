/** One simulated WebSocket client: what it hears, how it behaves, and what it must not be sent. */
import type { Peer, Socket } from "@sibyl/core"
import type { SimClock } from "../../clock/simClock.ts"
import type { FeedLaw } from "../../feeds/feedModel.ts"
import type { HeardFrame } from "../../feeds/wireObservation.ts"
import type { Life } from "./simServer.ts"
import { simulatedLimits, type Tenant, type TenantKey } from "./tenants.ts"

/** A message of the service, parsed. */
export interface SocketMessage {
  readonly id?: string | null
  readonly method?: string
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly _tag?: string; readonly code: number }
  readonly params?: Readonly<Record<string, unknown>> & { readonly feedId?: string }
}

/** One request on a connection. */
export interface SocketRequest {
  readonly id: string
  readonly method: string
  readonly inputs: string | undefined
  readonly sentAtMs: number
  reply: SocketMessage | undefined
}

/** One feed on a connection. */
export interface SocketFeed {
  readonly startId: string
  readonly law: FeedLaw
  readonly inputs: string
  readonly isShared: boolean
  feedId: string | undefined
  stopId: string | undefined
}

/** Whose connection it is, and to which life of which server. */
export interface SocketOwner {
  readonly tenant: Tenant
  readonly key: TenantKey
  readonly life: Life
}

/** Where a connection tells what happens to it. */
export interface SocketWatch {
  readonly clock: SimClock
  readonly said: (text: string) => void
  readonly mustHold: (holds: boolean, invariant: string, message: () => string) => void
}

/** One connection. */
export class WireSocket {
  readonly name: string
  readonly tenant: Tenant
  readonly key: TenantKey
  readonly life: Life
  readonly heard: Array<HeardFrame> = []
  readonly requests = new Map<string, SocketRequest>()
  readonly feeds: Array<SocketFeed> = []
  /** Durable feeds that it follows, and the place that it was told last. */
  readonly followed = new Map<string, { readonly id: string }>()
  /** Whether its client has ever not read in time: then starts of its feeds are left out. */
  wasSlow = false
  isReading = true
  isSilent = false
  silentSinceMs: number | undefined
  aboveSoftSinceMs: number | undefined
  /** When it was over for its client, and the code that the service gave. */
  endedAtMs: number | undefined
  closeCode: number | undefined
  bufferedBytes = 0
  readonly #clock: SimClock
  readonly #said: SocketWatch["said"]
  readonly #mustHold: SocketWatch["mustHold"]
  #peer: Peer | undefined

  constructor(name: string, { key, life, tenant }: SocketOwner, { clock, mustHold, said }: SocketWatch) {
    this.name = name
    this.tenant = tenant
    this.key = key
    this.life = life
    this.#clock = clock
    this.#said = said
    this.#mustHold = mustHold
  }

  get isOpen(): boolean {
    return this.#peer !== undefined && this.endedAtMs === undefined
  }

  open(opening: (socket: Socket) => Peer): void {
    this.#peer = opening({
      sendTexts: (texts) => {
        for (const text of texts) this.#hear(text)
      },
      sendShared: ({ text }) => this.#hear(text),
      bufferedAmount: () => this.bufferedBytes,
      ping: () => {
        if (this.isSilent) return
        this.#clock.at(this.#clock.nowMs() + 1, () => {
          if (this.isOpen && this.life.time.isAlive) this.#peer?.pong()
        })
      },
      close: (code, reason) => this.#closed(code, reason),
      terminate: () => {
        this.closeCode ??= 1006
        this.#said(`${this.name} is cut off`)
        this.endedAtMs ??= this.#clock.nowMs()
      }
    })
  }

  #closed(code: number, reason: string): void {
    this.#mustHold(this.closeCode === undefined, "one close", () => `${this.name} was closed with ${this.closeCode} and again with ${code}`)
    this.closeCode = code
    this.endedAtMs ??= this.#clock.nowMs()
    this.#said(`${this.name} is closed with ${code}: ${reason}`)
    if (this.isSilent) return
    this.#clock.at(this.#clock.nowMs() + 1, () => {
      if (this.life.time.isAlive) this.#peer?.closed(code, reason)
    })
  }

  #hear(text: string): void {
    if (!this.life.time.isAlive) return
    this.#mustHold(
      this.closeCode === undefined,
      "nothing after a close",
      () => `${this.name} was sent after its close: ${text.slice(0, 200)}`
    )
    if (this.endedAtMs !== undefined) return
    this.heard.push({ atMs: this.#clock.nowMs(), text })
    if (!this.isReading) {
      this.bufferedBytes += text.length
      if (this.bufferedBytes > simulatedLimits.outputSoftBytes) {
        this.wasSlow = true
        this.aboveSoftSinceMs ??= this.#clock.nowMs()
      }
    }
    this.#take(JSON.parse(text) as SocketMessage, text)
  }

  #take(message: SocketMessage, text: string): void {
    this.#mustHold(
      (this.heard.length === 1) === (message.method === "authorized"),
      "authorized comes first, once",
      () => `${this.name}, message ${this.heard.length}: ${text.slice(0, 200)}`
    )
    if (message.method !== undefined) return
    const request = this.requests.get(message.id ?? "")
    this.#mustHold(request !== undefined, "a reply belongs to a request", () => `${this.name} was told ${text.slice(0, 200)}`)
    if (request === undefined) return
    this.#mustHold(request.reply === undefined, "one reply for each request", () => `${this.name} was answered ${request.id} twice`)
    request.reply = message
    const feed = this.feeds.find(({ startId }) => startId === request.id)
    if (feed !== undefined && typeof message.result?.["feedId"] === "string") feed.feedId = message.result["feedId"]
    this.#said(`${this.name} ${request.id}: ${message.error === undefined ? "result" : `${message.error._tag} ${message.error.code}`}`)
  }

  /** Sends a request. */
  ask(id: string, method: string, params: object, inputs?: string): void {
    this.requests.set(id, { id, method, inputs, sentAtMs: this.#clock.nowMs(), reply: undefined })
    this.#peer?.message(JSON.stringify({ jsonrpc: "2.0", id, method, params }))
  }

  /** Stops reading, or reads everything that waits. */
  read(isReading: boolean): void {
    this.isReading = isReading
    if (!isReading) return
    this.bufferedBytes = 0
    this.aboveSoftSinceMs = undefined
    this.#peer?.drain()
  }

  /** Answers nothing any more, not even pings, and stays connected. */
  goSilent(): void {
    this.isSilent = true
    this.silentSinceMs = this.#clock.nowMs()
  }

  /** Its connection breaks, for both ends. */
  drop(): void {
    if (!this.isOpen) return
    this.endedAtMs = this.#clock.nowMs()
    if (this.life.time.isAlive) this.#peer?.closed(1006, "")
  }

  /** Its server has gone. */
  lost(): void {
    this.endedAtMs ??= this.#clock.nowMs()
  }
}
