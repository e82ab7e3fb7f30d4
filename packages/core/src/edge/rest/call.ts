/** One request inside the service, and its answer before the headers that every answer has. */
import type { Validity } from "./validity.ts"
import type { ServiceRequest } from "../transport/seam.ts"

/** One request on its way: matched to a route, authorized where the route asks for it. */
export interface Call {
  readonly request: ServiceRequest
  readonly query: string
  /** Parts of the path by their names in the contract, percent-encoded as they came. */
  readonly parameters: Readonly<Record<string, string>>
  readonly requestId: string
  /** When the service was opened, on the clock that never goes back. */
  readonly startedAtNanos: bigint
}

/** An answer before the headers that every answer has. */
export interface Reply {
  readonly status: number
  readonly body: string
  /** The body in the encoding that its headers tell, sent in its place. */
  readonly encoded?: Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  /** How long the same request may be answered with the same bytes; left out: it may not. */
  readonly validity?: Validity
}
