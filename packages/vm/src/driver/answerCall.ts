/** Performs the requests that a program makes to the outside world, within the run's limits (decision D29). */
import { HttpFetch, type Limits, type OutboundResponse } from "@sibyl/core"
import { Effect } from "effect"
import type { FetchAction } from "../host/fetchAction.ts"
import { failedFetch } from "../host/promiseJson.ts"
import type { AnsweredCall, FetchAnswer, HostCall } from "../pass/tape.ts"

/** The limits that requests run under. */
export type CallLimits = Pick<Limits, "httpRequestTimeoutMs" | "httpRunBudgetMs" | "httpResponseBytes">

const noProxy = "no data proxy is registered under this key"

const budgetText = (limits: CallLimits): string => `Global HTTP fetch time limit exceeded (${limits.httpRunBudgetMs}ms)`

const settled = (response: OutboundResponse, timeoutText: string): FetchAnswer =>
  response.kind === "answered"
    ? {
        fulfilled: true,
        status: response.status,
        headers: response.headers,
        // A copy of its own: views of larger buffers would travel to the workers whole.
        bytes: response.bytes.slice(),
        url: response.url,
        contentLength: response.contentLength
      }
    : failedFetch(response.timedOut ? timeoutText : response.message)

/** One request of a program; `budgetMs` is what is left of the run's time for requests. */
const fetchOutside = (
  request: FetchAction,
  limits: CallLimits,
  budgetMs: number
): Effect.Effect<FetchAnswer, never, HttpFetch> => {
  if (budgetMs <= 0) return Effect.succeed(failedFetch(budgetText(limits)))
  const wanted = request.timeoutMs ?? limits.httpRequestTimeoutMs
  const timeoutMs = Math.min(wanted, Math.ceil(budgetMs))
  const text = wanted > budgetMs ? budgetText(limits) : `HTTP fetch time limit exceeded (${wanted}ms)`
  const { body, headers, method, url } = request
  return HttpFetch.pipe(
    Effect.flatMap((http) =>
      http.fetch({ url, method, headers, body, timeoutMs, maxResponseBytes: limits.httpResponseBytes })
    ),
    Effect.map((response) => settled(response, text))
  )
}

/** A recorded call, the time of its answer still to come. */
export type TimelessCall = AnsweredCall extends infer Call ? (Call extends unknown ? Omit<Call, "atMs"> : never) : never

/** Performs one call. Data proxies and storage are not connected yet: both answer as the ABI says for that case. */
export const answerCall = (
  call: HostCall,
  limits: CallLimits,
  budgetMs: number
): Effect.Effect<TimelessCall, never, HttpFetch> => {
  const { action, kind } = call
  switch (kind) {
    case "fetch":
      return Effect.map(fetchOutside(call.request, limits, budgetMs), (answer) => ({ kind, action, answer }))
    case "proxyPrice":
      return Effect.succeed({ kind, action, answer: { known: false, message: noProxy } })
    case "proxyFetch":
      return Effect.succeed({ kind, action, answer: failedFetch(noProxy) })
    case "storage": {
      const answer = { fulfilled: false, bytes: new TextEncoder().encode("storage is not enabled") }
      return Effect.succeed({ kind, action, operation: call.request.operation, answer })
    }
  }
}
