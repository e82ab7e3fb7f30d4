/** What is left to a phase for its requests to the outside world. */
import type { Limits, PhaseRequest } from "@sibyl/core"
import { bytesOf, isTerminal, type Tape } from "../tape/tape.ts"

/** The limits that requests run under. */
export type FetchLimits = Pick<Limits, "httpRequestTimeoutMs" | "httpRunBudgetMs" | "httpResponseBytes" | "proxyBudgetCredits">

/** Whose request, for how long, and how much may come back. */
export interface FetchRoom {
  readonly projectId: string
  readonly limits: FetchLimits
  /** What is left of the phase's time for requests. */
  readonly budgetMs: number
  /** What is left of the bytes of its calls and answers. */
  readonly leftBytes: number
}

/** The room after what stands on the tape; `actionBytes` are those of the call that asks. */
export const fetchRoomOf = ({ limits, projectId }: PhaseRequest, { entries }: Tape, actionBytes: number, budgetMs: number): FetchRoom => {
  const used = entries.reduce((sum, entry) => sum + (isTerminal(entry) ? 0 : bytesOf(entry)), actionBytes)
  return { projectId, limits, budgetMs, leftBytes: Math.max(0, limits.hostCallBytes - used) }
}
