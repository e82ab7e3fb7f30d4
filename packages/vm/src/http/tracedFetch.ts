/** Each outbound request of a program as a span, and as a debug line of the log: whom it asked, how that ended; never its path or its headers. */
import type { HttpFetch, OutboundRequest, OutboundResponse } from "@sibyl/core"
import { logPart, noteOnSpan, type SpanFacts, spanHere, traced, traceParentOf, traceStateOf } from "@sibyl/core/internal"
import { type Context, Duration, Effect, FiberRef, LogLevel, type Tracer } from "effect"

type Header = OutboundRequest["headers"][number]

const endOf = (response: OutboundResponse): SpanFacts =>
  response.kind === "answered"
    ? { "http.response.status_code": response.status, "http.response.body.size": response.bytes.length }
    : { "error.type": response.timedOut ? "timeout" : "refused" }

const headersOf = (span: Tracer.AnySpan): ReadonlyArray<Header> => {
  const state = traceStateOf(span)
  return [["traceparent", traceParentOf(span)], ...(state === undefined ? [] : [["tracestate", state] as const])]
}

/** The request with the place of its span; as it is if the program has set one. */
const withPlace = (request: OutboundRequest, span: Tracer.AnySpan): OutboundRequest =>
  request.headers.some(([name]) => /^trace(?:parent|state)$/i.test(name))
    ? request
    : { ...request, headers: [...request.headers, ...headersOf(span)] }

/** The names of a log line cost more than they are worth where nobody reads it. */
const logged = (answered: Effect.Effect<OutboundResponse>, { method, url }: OutboundRequest): Effect.Effect<OutboundResponse> =>
  Effect.flatMap(FiberRef.get(FiberRef.currentMinimumLogLevel), (least) =>
    LogLevel.greaterThan(least, LogLevel.Debug)
      ? answered
      : Effect.map(
          Effect.tap(Effect.timed(answered), ([took, response]) =>
            Effect.annotateLogs(Effect.logDebug("upstream"), {
              ...logPart("upstreams"),
              method,
              host: URL.canParse(url) ? new URL(url).host : "",
              ...(response.kind === "answered"
                ? { status: response.status, bytes: response.bytes.length }
                : { refused: response.timedOut ? "timeout" : "refused" }),
              ms: Duration.toMillis(took)
            })
          ),
          ([, response]) => response
        )
  )

/**
 * The same requests, as spans where a tracer is installed. `isTold` says of a host whether it is sent `traceparent`; what a program
 * sees, and its recording, have none.
 */
export const tracedFetch = (http: Context.Tag.Service<HttpFetch>, isTold: (host: string) => boolean): Context.Tag.Service<HttpFetch> => {
  const sent = (request: OutboundRequest, host: string): Effect.Effect<OutboundResponse> =>
    isTold(host)
      ? Effect.flatMap(spanHere, (span) => http.fetch(span === undefined ? request : withPlace(request, span)))
      : http.fetch(request)
  return {
    fetch: (request) =>
      Effect.flatMap(spanHere, (around) => {
        if (around === undefined) return logged(http.fetch(request), request)
        const url = URL.canParse(request.url) ? new URL(request.url) : undefined
        const host = url?.hostname ?? ""
        const facts = {
          "http.request.method": request.method,
          "server.address": host,
          "url.scheme": url?.protocol.slice(0, -1) ?? "",
          ...(url?.port ? { "server.port": Number(url.port) } : {}),
          ...(request.isAhead === true ? { "sibyl.prefetched": true } : {})
        }
        const noted = Effect.tap(sent(request, host), (response) => noteOnSpan(() => endOf(response)))
        return traced("upstream", logged(noted, request), facts, { kind: "client" })
      })
  }
}
