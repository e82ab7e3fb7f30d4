/** Reads the errors of answers and messages, whose form may be anything. */
import type { RpcError } from "../contract/messages.ts"
import type { FailedExecutionResponse } from "../contract/records.ts"
import { membersOf } from "../contract/json.ts"
import { FailedExecution, ServiceRefusal, UnexpectedAnswer } from "./clientError.ts"
import type { ServiceTag } from "./serviceTag.ts"

const detailsOf = (value: unknown) => (typeof value === "object" && value !== null ? membersOf(value) : undefined)

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** The tag for a status, of a service that gives none: the interface specifies statuses, but no tags. */
const tagsOfStatus: Readonly<Record<number, ServiceTag>> = {
  400: "InvalidParameter",
  401: "Unauthorized",
  403: "InsufficientCredits",
  404: "ProgramNotFound",
  429: "CreditLimitExceeded",
  500: "InternalError",
  503: "Unavailable"
}

const tagsOfCode: Readonly<Record<number, ServiceTag>> = {
  32700: "InvalidRequest",
  32600: "InvalidRequest",
  32602: "InvalidParameter",
  32601: "MethodNotFound",
  36000: "InternalError"
}

/** The milliseconds of a `Retry-After` in seconds. */
const retryAfterMsOf = (header: string | null): number | undefined =>
  header !== null && /^[0-9]{1,9}$/.test(header) ? Number(header) * 1_000 : undefined

/** The error of an HTTP answer whose status is not 200 to 299. `body` is its parsed JSON; undefined if it is none. */
export const errorOfAnswer = (
  status: number,
  body: unknown,
  headers: Pick<Headers, "get">
): ServiceRefusal | FailedExecution | UnexpectedAnswer => {
  const { _tag: tag, details, error, requestId } = membersOf(body)
  if (tag === "FailedExecutionResponse") return new FailedExecution(body as FailedExecutionResponse)
  const known = textOf(tag) ?? (typeof error === "string" ? tagsOfStatus[status] : undefined)
  const retryAfterMs = retryAfterMsOf(headers.get("retry-after"))
  if (known === undefined) return new UnexpectedAnswer(`an answer of status ${status} that is not of the service`, status, retryAfterMs)
  return new ServiceRefusal(known as ServiceTag, textOf(error) ?? known, {
    status,
    details: detailsOf(details),
    requestId: textOf(requestId),
    retryAfterMs
  })
}

/** The error of a JSON-RPC reply or of a run of a feed. */
export const errorOfRpc = (body: unknown): ServiceRefusal | FailedExecution => {
  const { _tag: tag, code, data, details, error } = membersOf(body)
  const message = textOf(error) ?? "the service refused"
  if (tag === "FailedExecutionResponse" || data !== undefined) return new FailedExecution({ ...(body as RpcError), error: message })
  const known = textOf(tag) ?? tagsOfCode[Number(code)] ?? "InternalError"
  return new ServiceRefusal(known as ServiceTag, message, {
    code: typeof code === "number" ? code : undefined,
    details: detailsOf(details)
  })
}
