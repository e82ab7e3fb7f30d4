/** What the runs of an edge share. */
import type { Measuring } from "@sibyl/core"
import type { EdgeRun } from "./edgeRun.ts"
import type { Liveness } from "./liveness.ts"
import type { Roster } from "./roster.ts"

/** The parts of an edge that its runs use. Sending is a plain call: what is lost is offered or asked again. */
export interface EdgeParts {
  readonly edge: string
  readonly roster: Roster
  readonly liveness: Liveness
  /** The runs by their current attempts. */
  readonly attempts: Map<string, EdgeRun>
  readonly hasProxies: boolean
  readonly metrics: Measuring
  readonly nowMs: () => number
  readonly maxPayloadBytes: () => number
  readonly nextAttempt: () => string
  /** Sends a task to an executor, or to any. */
  readonly offer: (executor: string | undefined, attempt: string, body: Uint8Array) => void
  /** Sends an order to an executor. */
  readonly order: (executor: string, body: Uint8Array) => void
  /** How an attempt ended has been heard. */
  readonly heard: (executor: string, attempt: string) => void
  /** An executor does not hear what this edge answers it. */
  readonly unheard: (executor: string) => void
  /** The group is not to be trusted for a while. */
  readonly distrust: () => void
  readonly distrustUntilMs: () => number
  /** A run may want to be woken at another time, or has ended. */
  readonly changed: (run: EdgeRun) => void
}
