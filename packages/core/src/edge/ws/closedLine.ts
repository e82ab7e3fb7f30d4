/** The line of the log about a connection that the service closes: who is too slow to read is often too slow to be told why. */
import type { ResolvedPrincipal } from "../../domain/accounts/project.ts"
import type { AccessLine } from "../../services/logs/accessLog.ts"

/** A connection that the service closes. */
export interface ClosedConnection {
  readonly principal: ResolvedPrincipal
  /** That of the close frame; undefined where there was nobody left to send one to. */
  readonly code: number | undefined
  readonly reason: string
  /** How many feeds it had. */
  readonly feeds: number
  /** What was sent and not taken by its client. */
  readonly waitingBytes: number
}

/** Its line. */
export const closedLine = ({ code, feeds, principal, reason, waitingBytes }: ClosedConnection): AccessLine => {
  const { apiKeyId, project } = principal
  return {
    part: "requests",
    message: "connection closed",
    fields: {
      project_id: project.projectId,
      key_id: apiKeyId,
      ...(project.ticket === undefined ? {} : { ticket_id: project.ticket.ticketId }),
      ...(code === undefined ? {} : { code }),
      reason,
      feeds,
      waiting_bytes: waitingBytes
    }
  }
}
