/** The port for outbound HTTP: one request of a program, under the outbound policy. */
import { Context, Effect, Layer } from "effect"

/** A request that a program asked for, as the host decoded it. */
export interface OutboundRequest {
  /** The project of the program, whose memory for concurrent requests is limited too. */
  readonly projectId: string
  /** The only hosts that the project's programs may reach, within what the service allows; absent: all of those. */
  readonly allowedHosts?: ReadonlyArray<string>
  /** Requests of the project that may be under way at once; another one waits, within its time. Absent: as many as there are. */
  readonly mostAtOnce?: number
  readonly url: string
  /** Upper case. */
  readonly method: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** Not sent when empty. */
  readonly body: Uint8Array
  readonly timeoutMs: number
  /** Decoded response bytes above this are refused. */
  readonly maxResponseBytes: number
  /** Set for a prefetched request: it must not use up what the requests that programs wait for need. */
  readonly isAhead?: boolean
}

/** The outcome. A refusal, a failure and a time-out are `rejected`, with a text for the program. */
export type OutboundResponse =
  | {
      readonly kind: "answered"
      readonly status: number
      readonly headers: ReadonlyArray<readonly [name: string, value: string]>
      readonly bytes: Uint8Array
      /** The final address, after redirects. */
      readonly url: string
      /** The `content-length` the upstream declared, 0 when it declared none. */
      readonly contentLength: number
    }
  | RejectedRequest

/** A request without an answer. */
export interface RejectedRequest {
  readonly kind: "rejected"
  /** For the program. */
  readonly message: string
  readonly timedOut: boolean
  /** Set if it was not sent, because the host has not answered lately. */
  readonly isResting?: boolean
}

/** Performs one outbound request under the outbound policy (decision D30). It never fails: a refusal is a response too. */
export class HttpFetch extends Context.Tag("@sibyl/core/HttpFetch")<
  HttpFetch,
  { readonly fetch: (request: OutboundRequest) => Effect.Effect<OutboundResponse> }
>() {
  /** Refuses every request, for services whose programs have no network access. */
  static readonly layerClosed: Layer.Layer<HttpFetch> = Layer.succeed(HttpFetch, {
    fetch: () => Effect.succeed({ kind: "rejected", message: "outbound requests are switched off", timedOut: false })
  })
}
