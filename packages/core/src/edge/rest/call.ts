/** One request inside the service, and its answer before the headers that every answer has. */
import type { Validity } from "./validity.ts"
import type { ServiceRequest } from "../transport/seam.ts"

/** A request that was matched to a route, and authorized where the route requires it. */
export interface Call {
  readonly request: ServiceRequest
  readonly query: string
  /** Path parameters by their names in the contract, still percent-encoded. */
  readonly parameters: Readonly<Record<string, string>>
  readonly requestId: string
  /** When the service was opened, on the monotonic clock. */
  readonly startedAtNanos: bigint
}

/** An answer before the headers that every answer has. */
export interface Reply {
  readonly status: number
  readonly body: string
  /** The encoded body (see its headers), sent instead of `body`. */
  readonly encoded?: Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  /** How long the same request may be answered with the same bytes. If absent, it may not. */
  readonly validity?: Validity
}
