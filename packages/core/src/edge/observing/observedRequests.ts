/** What is observed of requests over HTTP, their spans and their lines of the log: by plain functions around the fiber that answers. */
import { Effect, Exit, type Tracer } from "effect"
import { readTraceParent, readTraceState } from "../../domain/encoding/traceParent.ts"
import { rootSpanBeginner, spanOutside } from "../../services/fibers/traced.ts"
import { AccessLog, type LineFields } from "../../services/logs/accessLog.ts"
import { requestLine, tookMs } from "../../services/logs/requestLog.ts"
import type { ServiceRequest } from "../transport/seam.ts"
import type { MatchedTarget } from "../rest/routes.ts"
import type { DatedResponse } from "../rest/validity.ts"

/** A request that is being answered. */
export interface ObservedRequest {
  /** For the fiber that answers, from its start. */
  readonly span: Tracer.Span | undefined
  /** Answers what is left to do in a fiber with that span, if anything. */
  readonly ended: (exit: Exit.Exit<DatedResponse>) => Effect.Effect<void> | undefined
}

/** Begins to observe a request; `undefined` where nobody wants to know. */
export type ObserveRequest = (target: MatchedTarget, request: ServiceRequest, requestId: string) => ObservedRequest | undefined

/** What is asked again and again, by machines that keep an eye on the service; only a bad answer is logged. */
const probes: ReadonlySet<string> = new Set(["/health", "/ready"])

/** The span that a client continues; none if what it sent is not one. */
const callerOf = (request: ServiceRequest): Tracer.AnySpan | undefined => {
  try {
    const header = request.header("traceparent")
    const place = header === undefined ? undefined : readTraceParent(header)
    return place === undefined ? undefined : spanOutside(place, readTraceState(request.header("tracestate")))
  } catch {
    // A method of the adapter's request may throw; whoever needs a header answers that.
    return undefined
  }
}

/** The fields of a request's line; without an answer, it was not answered. `reason` is the tag of an error. */
const fieldsOf = (request_id: string, method: string, route: string, ms: number, answer: DatedResponse | undefined): LineFields => {
  if (answer === undefined) return { request_id, method, route, ms }
  const { failure, status } = answer
  return failure === undefined ? { request_id, method, route, status, ms } : { request_id, method, route, status, ms, reason: failure._tag }
}

/** A tracer or a log that throws keeps no request from its answer. */
const safely = <A>(work: () => A): A | undefined => {
  try {
    return work()
  } catch {
    return undefined
  }
}

/** By the tracer and the log of a service. */
export const requestObserver: Effect.Effect<ObserveRequest> = Effect.gen(function* () {
  const beginSpan = yield* rootSpanBeginner
  const { isOn, write } = yield* AccessLog
  const clock = yield* Effect.clock
  const begin: ObserveRequest = ({ methods, pattern }, request, requestId) => {
    const { method } = request
    const name = `${methods.has(method) ? method : "HTTP"} ${pattern}`
    const facts = { "http.request.method": method, "http.route": pattern, "sibyl.request.id": requestId }
    const root = beginSpan?.(name, facts, callerOf(request))
    const startNanos = clock.unsafeCurrentTimeNanos()
    const ended: ObservedRequest["ended"] = (exit) => {
      const answer = Exit.isSuccess(exit) ? exit.value : undefined
      const status = answer?.status
      root?.end(status === undefined ? {} : { "http.response.status_code": status }, exit)
      if (!isOn || (probes.has(pattern) && status === 200)) return undefined
      const ms = tookMs(clock.unsafeCurrentTimeNanos() - startNanos)
      const line = requestLine(fieldsOf(requestId, method, pattern, ms, answer))
      return write(line, { atMs: clock.unsafeCurrentTimeMillis(), span: root?.span })
    }
    return { span: root?.span, ended: (exit) => safely(() => ended(exit)) }
  }
  const observe: ObserveRequest = (target, request, requestId) => safely(() => begin(target, request, requestId))
  return beginSpan === undefined && !isOn ? () => undefined : observe
})
