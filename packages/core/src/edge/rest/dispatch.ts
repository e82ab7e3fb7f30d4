/** Takes one request through the service: route, length, method, key, handler. Every outcome is an answer. */
import { type Cause, Effect } from "effect"
import { type Failure, MethodNotAllowed } from "../../contract/errors.ts"
import { errorResponse, type ErrorResponse, jsonHeaders } from "../transport/errorResponse.ts"
import { withoutBodyOfHead } from "../transport/headAnswer.ts"
import type { Call, Reply } from "./call.ts"
import { failureIn, logFault } from "../execution/failureIn.ts"
import { causeWhile } from "../execution/portInterrupted.ts"
import { Admission } from "../../services/admission/admission.ts"
import { handle, type HandlerServices } from "./handlers.ts"
import { allowedMethods, headRoute, type MatchedTarget, type Route } from "./routes.ts"
import type { ServiceRequest } from "../transport/seam.ts"
import { uriTooLong } from "./uriTooLong.ts"
import type { DatedResponse } from "./validity.ts"

/** What the service itself knows of a request. */
export interface RequestFacts {
  /** A time-ordered UUID. */
  readonly requestId: string
  /** When the service was opened, on the monotonic clock. */
  readonly startedAtNanos: bigint
  /** The longest target that is read. */
  readonly maxUrlBytes: number
}

const routeFor = (methods: ReadonlyMap<string, Route>, method: string): Route | undefined =>
  method === "HEAD" ? headRoute(methods) : methods.get(method)

/** The answer to a failed request. Details of an internal error go to the log only. */
export const failureResponse = (cause: Cause.Cause<Failure>, requestId: string): Effect.Effect<ErrorResponse, never, Admission> =>
  Effect.gen(function* () {
    const told = causeWhile(yield* (yield* Admission).isOpen, cause)
    yield* Effect.annotateLogs(logFault("a request", told), { requestId })
    return errorResponse(failureIn(told), requestId)
  })

const withinPath = (
  call: Call,
  methods: ReadonlyMap<string, Route>,
  maxUrlBytes: number
): Effect.Effect<Reply, Failure, HandlerServices> => {
  const { method, url } = call.request
  const tooLong = uriTooLong(url, maxUrlBytes)
  if (tooLong !== undefined) return Effect.fail(tooLong)
  const route = routeFor(methods, method)
  return route === undefined
    ? Effect.fail(new MethodNotAllowed({ message: `${method} is not allowed here`, details: { allow: allowedMethods(methods) } }))
    : handle(route, call)
}

const respond = ({ body, encoded, headers, status, validity }: Reply, call: Call): DatedResponse => ({
  status,
  headers: jsonHeaders(call.requestId, headers),
  body: encoded ?? body,
  ...(validity === undefined ? {} : { validity })
})

/** Answers a request whose target is in the route table. */
export const dispatch = (
  { methods, parameters, query }: MatchedTarget,
  { maxUrlBytes, requestId, startedAtNanos }: RequestFacts,
  request: ServiceRequest
): Effect.Effect<DatedResponse, never, HandlerServices> => {
  const call: Call = { request, query, parameters, requestId, startedAtNanos }
  const finished = (response: DatedResponse): DatedResponse => withoutBodyOfHead(withAllow(response, methods), request.method)
  // Suspended because a method of the adapter's request may throw; that is answered like any internal error.
  return Effect.matchCauseEffect(
    Effect.suspend(() => withinPath(call, methods, maxUrlBytes)),
    {
      onSuccess: (reply) => Effect.succeed(finished(respond(reply, call))),
      onFailure: (cause) => Effect.map(failureResponse(cause, requestId), finished)
    }
  )
}

const withAllow = (response: DatedResponse, methods: ReadonlyMap<string, Route>): DatedResponse =>
  response.status === 405 ? { ...response, headers: { ...response.headers, allow: allowedMethods(methods) } } : response
