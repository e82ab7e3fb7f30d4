/** The interface between an adapter and the service: plain values and promises, without Effect and without types of a runtime. */

/** A request, independent of the runtime. */
export interface ServiceRequest {
  readonly method: string
  /** Path and query below the mount point, as sent: `/execute?encoding=json`. */
  readonly url: string
  /** The values of a repeated header are joined with `, `, whichever header it is. */
  readonly header: (name: string) => string | undefined
  /** The whole body. Rejects with {@link BodyUnreadable} if it is larger than `maxBytes` or cannot be read. */
  readonly body: (maxBytes: number) => Promise<Uint8Array>
  /** Aborted when the client disconnects. */
  readonly signal?: AbortSignal
}

/** One answer. A string body is UTF-8. */
export interface ServiceResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

/** A text that many sockets are sent; its bytes in UTF-8 are made once, when the first of them asks. Nobody may change them. */
export interface SharedText {
  readonly text: string
  readonly bytes: Uint8Array
}

/** An open WebSocket as the runtime offers it to the service. */
export interface Socket {
  /** Sends each text as one frame; frames given together are written together. */
  readonly sendTexts: (frames: ReadonlyArray<string>) => void
  /** Sends one text frame that other sockets are sent, too. If absent, `sendTexts` is used. */
  readonly sendShared?: (frame: SharedText) => void
  readonly bufferedAmount: () => number
  readonly ping: () => void
  readonly close: (code: number, reason: string) => void
  readonly terminate: () => void
}

/** An open WebSocket as the service offers it to the runtime. */
export interface Peer {
  /** A text frame as a string, a binary frame as bytes. */
  readonly message: (frame: string | Uint8Array) => void
  readonly pong: () => void
  readonly drain: () => void
  /** Once: the client's close frame has come, or the connection has ended. Nothing that is sent afterwards reaches anybody. */
  readonly closed: (code: number, reason: string) => void
}

/** Opens a WebSocket, once the runtime has its socket. */
export interface Opening {
  (socket: Socket): Peer
  /** The subprotocol to select in the answer; if absent, none, whatever the client offers. */
  readonly protocol?: string
}

/** Answers a request; `undefined` if the service has no such path. Never rejects. The promise of a remembered result is fulfilled when this returns. */
export interface Fetch {
  (request: ServiceRequest): Promise<ServiceResponse | undefined>
  /** The same, but an answer that is at hand comes without a promise: on Node that saves 3 % of what such an answer costs a server. */
  readonly atOnce?: (request: ServiceRequest) => ServiceResponse | undefined | Promise<ServiceResponse | undefined>
}

/** The whole service as a value: one network, mountable under any prefix of any server. */
export interface Service {
  readonly fetch: Fetch
  /** Answers an upgrade request (401, 404 ...) or opens it; `undefined` if the service has no such path. Never rejects. */
  readonly upgrade: (request: ServiceRequest) => Promise<ServiceResponse | Opening | undefined>
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
