/** The part of `ws` that this adapter uses. */
declare module "ws" {
  import type { IncomingMessage } from "node:http"
  import type { Duplex } from "node:stream"

  /** An open WebSocket of a server. */
  export class WebSocket {
    readonly bufferedAmount: number
    send(frame: string | Uint8Array, options?: { readonly binary: boolean }): void
    ping(): void
    /** `reason` has 123 bytes at most. */
    close(code?: number, reason?: string | Buffer): void
    terminate(): void
    on(event: "message", listener: (frame: Buffer, isBinary: boolean) => void): this
    on(event: "pong", listener: () => void): this
    on(event: "close", listener: (code: number, reason: Buffer) => void): this
    on(event: "error", listener: (cause: Error) => void): this
  }

  /** Turns upgrade requests into WebSockets. */
  export class WebSocketServer {
    constructor(options: {
      readonly noServer: true
      readonly clientTracking?: boolean
      readonly perMessageDeflate?: boolean
      readonly maxPayload: number
      /** Milliseconds. */
      readonly closeTimeout?: number
      /** Chooses one of the subprotocols on offer, or none. */
      readonly handleProtocols: (offered: Set<string>, request: IncomingMessage) => string | false
      /** The class of its WebSockets. */
      readonly WebSocket?: typeof WebSocket
    })
    handleUpgrade(request: IncomingMessage, raw: Duplex, head: Buffer, opened: (socket: WebSocket) => void): void
  }
}
