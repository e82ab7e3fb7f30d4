/** One HTTP request of a program through the policed way out, within the run's limits (decisions D29, D30). */
import { HttpFetch, type OutboundResponse } from "@sibyl/core"
import { Effect } from "effect"
import type { FetchAction } from "../tape/fetchAction.ts"
import { failedFetch } from "../tape/promiseJson.ts"
import type { FetchAnswer } from "../tape/tape.ts"
import type { FetchLimits, FetchRoom } from "./fetchRoom.ts"

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

/** Makes the request in the room that is left. */
export const fetchOutside = (request: FetchAction, room: FetchRoom): Effect.Effect<FetchAnswer, never, HttpFetch> => {
  const { budgetMs, leftBytes, limits, projectId } = room
  if (budgetMs <= 0) return Effect.succeed(failedFetch(budgetText(limits)))
  const wanted = request.timeoutMs ?? limits.httpRequestTimeoutMs
  const timeoutMs = Math.min(wanted, Math.ceil(budgetMs))
  const text = wanted > budgetMs ? budgetText(limits) : `HTTP fetch time limit exceeded (${wanted}ms)`
  const { body, headers, method, url } = request
  const maxResponseBytes = Math.min(limits.httpResponseBytes, leftBytes)
  return HttpFetch.pipe(
    Effect.flatMap((http) => http.fetch({ projectId, url, method, headers, body, timeoutMs, maxResponseBytes })),
    Effect.map((response) => settled(response, text))
  )
}
