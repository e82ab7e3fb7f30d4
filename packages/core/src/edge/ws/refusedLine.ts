/** The line of the log about an upgrade that is refused: browsers do not tell a page why, so its operator has to see it. */
import { Context, Effect } from "effect"
import { OutsideTicket } from "../../contract/errors.ts"
import { webSocketPath } from "../../contract/rpc.ts"
import { AccessLog, type LineFields, writeLine } from "../../services/logs/accessLog.ts"
import { requestLine } from "../../services/logs/requestLog.ts"
import type { ErrorResponse } from "../transport/errorResponse.ts"
import type { ServiceRequest } from "../transport/seam.ts"

/** The longest text of a client that a line repeats. */
const mostChars = 300

/** Where the page came from, and which host it asked: of a proxy that replaces `Host` they differ. */
const whereFrom = ({ failure }: ErrorResponse, request: ServiceRequest): LineFields => {
  const origin = failure instanceof OutsideTicket ? failure.details?.["origin"] : undefined
  if (typeof origin !== "string") return {}
  return { origin: origin.slice(0, mostChars), host: (request.header("host") ?? "").slice(0, mostChars) }
}

/** Writes it, as that of a request that is answered over HTTP. */
export const logRefused = (request: ServiceRequest, requestId: string, answer: ErrorResponse): Effect.Effect<void> =>
  Effect.withFiberRuntime((fiber) => {
    const { isOn, write } = Context.get(fiber.currentContext, AccessLog)
    if (!isOn) return Effect.void
    const { failure, status } = answer
    const known = { request_id: requestId, method: "GET", route: webSocketPath, status, reason: failure._tag }
    return writeLine(write, requestLine({ ...known, ...whereFrom(answer, request) }), fiber) ?? Effect.void
  })
