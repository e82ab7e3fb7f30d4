/** Pages of other origins: what a browser is told, by the Fetch standard's CORS protocol (decision D53). */
import { afterAnswer, type Answering, type AnswerRequest } from "../transport/answering.ts"
import type { ServiceRequest, ServiceResponse } from "../transport/seam.ts"
import { matchTarget, type Route, type RouteTable } from "./routes.ts"

/** Whose pages may ask, and what for. */
export interface SharedWith {
  readonly allowedOrigins: ReadonlyArray<string>
  readonly routes: RouteTable
}

/** Headers that a page may send beside those that every page may. */
const sendable = "authorization, content-type, idempotency-key, traceparent, tracestate"

/** Headers that a page may read beside those that every page may. */
const readable = "age, allow, etag, idempotency-replayed, retry-after, x-request-id"

/** How long a browser may remember the answer to a preflight, in seconds; some remember it for less. */
const rememberedSeconds = 600

/** What takes no key tells everybody the same. */
const takesNoKey = (methods: ReadonlyMap<string, Route>): boolean => [...methods.values()].every(({ needsKey }) => !needsKey)

/** A method of the adapter's request may throw; whoever needs a header answers that. */
const originOf = (request: ServiceRequest): string | undefined => {
  try {
    return request.header("origin")
  } catch {
    return undefined
  }
}

/** The header `Vary` with more names. */
const varying = (vary: string | undefined, ...names: ReadonlyArray<string>): string => {
  const known = (vary ?? "").split(",").map((name) => name.trim())
  return [...known, ...names.filter((name) => !known.some((other) => other.toLowerCase() === name))]
    .filter((name) => name !== "")
    .join(", ")
}

const withHeaders = (response: ServiceResponse, headers: Readonly<Record<string, string>>): ServiceResponse => ({
  ...response,
  headers: { ...response.headers, ...headers, vary: varying(response.headers["vary"], "origin") }
})

const preflightAnswer = (methods: ReadonlyMap<string, Route>, allowed: string): ServiceResponse => ({
  // With 204 an answer would have no length, which adapters always send.
  status: 200,
  headers: {
    "access-control-allow-origin": allowed,
    "access-control-allow-methods": [...methods.keys(), ...(methods.has("GET") ? ["HEAD"] : [])].join(", "),
    "access-control-allow-headers": sendable,
    "access-control-max-age": String(rememberedSeconds),
    vary: "origin, access-control-request-method, access-control-request-headers"
  },
  body: ""
})

/**
 * The same for pages of other origins: answers their preflights, and says which answers they may read. Without an `Origin` nothing is
 * different, but for `Vary` where the answer could have been another one.
 */
export const shareWith = (answer: AnswerRequest, { allowedOrigins, routes }: SharedWith): AnswerRequest => {
  const names = new Set(allowedOrigins)
  /** The value of the header that lets the page read the answer. */
  const allowedTo = (origin: string, methods: ReadonlyMap<string, Route>): string | undefined =>
    names.has(origin) ? origin : takesNoKey(methods) ? "*" : undefined

  const answerWith = (request: ServiceRequest, headers: Readonly<Record<string, string>>): Answering =>
    afterAnswer(answer(request), (response) => (response === undefined ? undefined : withHeaders(response, headers)))

  const asked = (request: ServiceRequest, origin: string): Answering => {
    const methods = matchTarget(routes, request.url)?.methods
    if (methods === undefined) return answer(request)
    const allowed = allowedTo(origin, methods)
    const isPreflight = request.method === "OPTIONS" && request.header("access-control-request-method") !== undefined
    if (isPreflight && allowed !== undefined) return preflightAnswer(methods, allowed)
    const headers = { "access-control-allow-origin": allowed ?? "", "access-control-expose-headers": readable }
    return answerWith(request, allowed === undefined ? {} : headers)
  }

  return (request) => {
    const origin = originOf(request)
    if (origin !== undefined) return asked(request, origin)
    return names.size === 0 ? answer(request) : answerWith(request, {})
  }
}
