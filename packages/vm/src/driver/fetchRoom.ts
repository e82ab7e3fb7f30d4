/** What remains to a phase for its outbound requests. */
import type { Limits, PhaseRequest } from "@sibyl/core"
import { bytesOf, isTerminal, type Tape } from "../tape/tape.ts"

/** The limits that apply to requests. */
export type FetchLimits = Pick<
  Limits,
  "httpRequestTimeoutMs" | "httpRunBudgetMs" | "httpResponseBytes" | "httpRequestsPerProject" | "proxyBudgetCredits"
>

/** The project of a request, its hosts, the remaining time, and the maximum size of the answer. */
export interface FetchRoom {
  readonly projectId: string
  /** The only ones that it may reach; absent: all that the service allows. */
  readonly allowedHosts?: ReadonlyArray<string>
  readonly limits: FetchLimits
  /** The remaining time of the phase for requests. */
  readonly budgetMs: number
  /** The remaining bytes of its calls and answers. */
  readonly leftBytes: number
}

/** Who asks: the project, and its hosts. */
export const askerOf = ({ allowedHosts, projectId }: PhaseRequest): Pick<FetchRoom, "projectId" | "allowedHosts"> => ({
  projectId,
  ...(allowedHosts === undefined ? {} : { allowedHosts })
})

/** What remains after the entries of the tape; `actionBytes` are those of the current call. */
export const fetchRoomOf = (request: PhaseRequest, { entries }: Tape, actionBytes: number, budgetMs: number): FetchRoom => {
  const { limits } = request
  const used = entries.reduce((sum, entry) => sum + (isTerminal(entry) ? 0 : bytesOf(entry)), actionBytes)
  return { limits, budgetMs, leftBytes: Math.max(0, limits.hostCallBytes - used), ...askerOf(request) }
}
