/** One HTTP request of a program through the policed way out, within the run's limits (decisions D29, D30). */
import { HttpFetch, type OutboundResponse } from "@sibyl/core"
import { Effect } from "effect"
import type { FetchAction } from "../tape/fetchAction.ts"
import { failedFetch } from "../tape/promiseJson.ts"
import type { FetchAnswer } from "../tape/tape.ts"
import type { FetchLimits, FetchRoom } from "./fetchRoom.ts"

const budgetText = (limits: FetchLimits): string => `Global HTTP fetch time limit exceeded (${limits.httpRunBudgetMs}ms)`

/** Views of larger buffers would travel to the workers whole. */
const inOwnBuffer = (bytes: Uint8Array): Uint8Array => (bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes))

/** The answer as recorded on the tape; `timeoutText` is what the program reads when none came in time. */
export const settled = (response: OutboundResponse, timeoutText: string): FetchAnswer =>
  response.kind === "answered"
    ? {
        fulfilled: true,
        status: response.status,
        headers: response.headers,
        bytes: inOwnBuffer(response.bytes),
        url: response.url,
        contentLength: response.contentLength
      }
    : failedFetch(response.timedOut ? timeoutText : response.message)

/** How long a call may take. */
export interface TimeLimit {
  /** What the program asked for, or else the host's, in ms. */
  readonly wantedMs: number
  /** The same within what is left of the run's time for requests; not above 0: nothing is left. */
  readonly limitMs: number
  /** What the program reads when that is over. */
  readonly text: string
}

/** The time limit of a call. */
export const timeLimitOf = ({ timeoutMs }: FetchAction, { budgetMs, limits }: FetchRoom): TimeLimit => {
  const wantedMs = timeoutMs ?? limits.httpRequestTimeoutMs
  return {
    wantedMs,
    limitMs: Math.min(wantedMs, Math.ceil(budgetMs)),
    text: wantedMs > budgetMs ? budgetText(limits) : `HTTP fetch time limit exceeded (${wantedMs}ms)`
  }
}

/** Makes the request in the room that is left; `spentMs` of the call's own time are over already. */
export const fetchOutside = (request: FetchAction, room: FetchRoom, spentMs = 0): Effect.Effect<FetchAnswer, never, HttpFetch> => {
  const { allowedHosts, leftBytes, limits, projectId } = room
  const { limitMs, text } = timeLimitOf(request, room)
  const timeoutMs = Math.ceil(limitMs - spentMs)
  if (timeoutMs <= 0) return Effect.succeed(failedFetch(text))
  const { body, headers, method, url } = request
  const outbound = {
    projectId,
    ...(allowedHosts === undefined ? {} : { allowedHosts }),
    mostAtOnce: limits.httpRequestsPerProject,
    url,
    method,
    headers,
    body,
    timeoutMs,
    maxResponseBytes: Math.min(limits.httpResponseBytes, leftBytes)
  }
  return HttpFetch.pipe(
    Effect.flatMap((http) => http.fetch(outbound)),
    Effect.map((response) => settled(response, text))
  )
}
