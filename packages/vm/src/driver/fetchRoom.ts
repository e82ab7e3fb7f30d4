/** What remains to a phase for its outbound requests. */
import type { Limits, PhaseRequest } from "@sibyl/core"
import { bytesOf, isTerminal, type Tape } from "../tape/tape.ts"

/** The limits that apply to requests. */
export type FetchLimits = Pick<Limits, "httpRequestTimeoutMs" | "httpRunBudgetMs" | "httpResponseBytes" | "proxyBudgetCredits">

/** The project of a request, the remaining time, and the maximum size of the answer. */
export interface FetchRoom {
  readonly projectId: string
  readonly limits: FetchLimits
  /** The remaining time of the phase for requests. */
  readonly budgetMs: number
  /** The remaining bytes of its calls and answers. */
  readonly leftBytes: number
}

/** What remains after the entries of the tape; `actionBytes` are those of the current call. */
export const fetchRoomOf = ({ limits, projectId }: PhaseRequest, { entries }: Tape, actionBytes: number, budgetMs: number): FetchRoom => {
  const used = entries.reduce((sum, entry) => sum + (isTerminal(entry) ? 0 : bytesOf(entry)), actionBytes)
  return { projectId, limits, budgetMs, leftBytes: Math.max(0, limits.hostCallBytes - used) }
}
