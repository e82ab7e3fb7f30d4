/** One HTTP request of a program through the policed way out, within the run's limits (decisions D29, D30). */
import { HttpFetch, type Limits, type OutboundResponse } from "@sibyl/core"
import { Effect } from "effect"
import type { FetchAction } from "../host/fetchAction.ts"
import { failedFetch } from "../host/promiseJson.ts"
import type { FetchAnswer } from "../pass/tape.ts"

/** The limits that requests run under. */
export type FetchLimits = Pick<Limits, "httpRequestTimeoutMs" | "httpRunBudgetMs" | "httpResponseBytes">

const budgetText = (limits: FetchLimits): string => `Global HTTP fetch time limit exceeded (${limits.httpRunBudgetMs}ms)`

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

/** Makes the request; `budgetMs` is what is left of the run's time for requests. */
export const fetchOutside = (
  request: FetchAction,
  limits: FetchLimits,
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
