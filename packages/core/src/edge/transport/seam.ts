/** What an adapter and the service say to each other: plain values and promises, no Effect, no runtime's own types. */

/** One request as any runtime can give it. */
export interface ServiceRequest {
  readonly method: string
  /** Path and query below the mount point, as sent: `/execute?encoding=json`. */
  readonly url: string
  /** A header that stands several times has its values joined with `, `, whatever it is. */
  readonly header: (name: string) => string | undefined
  /** The whole body; rejects with a {@link BodyUnreadable} when it is larger than `maxBytes` or cannot be had. */
  readonly body: (maxBytes: number) => Promise<Uint8Array>
  /** Aborted when the client has gone. */
  readonly signal?: AbortSignal
}

/** One answer. A string body is UTF-8. */
export interface ServiceResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

/** The runtime's half of an open WebSocket. */
export interface Socket {
  /** Sends each text as one frame; frames given together leave together. */
  readonly sendTexts: (frames: ReadonlyArray<string>) => void
  readonly bufferedAmount: () => number
  readonly ping: () => void
  readonly close: (code: number, reason: string) => void
  readonly terminate: () => void
}

/** Core's half of an open WebSocket. */
export interface Peer {
  /** A text frame as a string, a binary frame as bytes. */
  readonly message: (frame: string | Uint8Array) => void
  readonly pong: () => void
  readonly drain: () => void
  readonly closed: (code: number, reason: string) => void
}

/** The whole service as a value: one network, mountable under any prefix of any server. */
export interface Service {
  /** Answers a request; `undefined` when the path is none of the service's. Never rejects. */
  readonly fetch: (request: ServiceRequest) => Promise<ServiceResponse | undefined>
  /** Answers an upgrade request (401, 404 ...) or opens it; `undefined` when the path is none of the service's. Never rejects. */
  readonly upgrade: (request: ServiceRequest) => Promise<ServiceResponse | ((socket: Socket) => Peer) | undefined>
  /**
   * The longest WebSocket message of any project, in bytes; an adapter refuses a longer one with 1009 before it has it. The
   * service itself refuses what is longer than the `requestBytes` of the connection's project.
   */
  readonly maxMessageBytes: number
  /** Drains: running work is finished, then everything is released. */
  readonly dispose: () => Promise<void>
}

/** Why a body could not be read. The adapter rejects `body()` with it. */
export class BodyUnreadable extends Error {
  readonly reason: "tooLarge" | "aborted" | "alreadyRead"
  constructor(reason: "tooLarge" | "aborted" | "alreadyRead", message: string) {
    super(message)
    this.name = "BodyUnreadable"
    this.reason = reason
  }
}
