/** Only a listed host is told the trace of a run, and never in place of what the program says itself. */
import type { OutboundRequest } from "@sibyl/core"
import { Effect, Option, Tracer } from "effect"
import { expect, test } from "vitest"
import { tracedFetch } from "./tracedFetch.ts"

/** Makes spans with ids, and sends them nowhere. */
const tracer = Tracer.make({
  context: (run) => run(),
  span: (name, parent, context, links, startTime, kind) => ({
    _tag: "Span",
    name,
    spanId: "b7ad6b7169203331",
    traceId: Option.match(parent, { onNone: () => "0".repeat(32), onSome: ({ traceId }) => traceId }),
    parent,
    context,
    status: { _tag: "Started", startTime },
    attributes: new Map(),
    links,
    sampled: true,
    kind,
    end: () => undefined,
    attribute: () => undefined,
    event: () => undefined,
    addLinks: () => undefined
  })
})

/** The headers with which a request to a host goes out, inside of a trace. */
const sentHeaders = async (url: string, headers: OutboundRequest["headers"] = []): Promise<OutboundRequest["headers"]> => {
  const seen: Array<OutboundRequest> = []
  const inner = {
    fetch: (request: OutboundRequest) =>
      Effect.sync(() => {
        seen.push(request)
        return { kind: "answered", status: 200, headers: [], bytes: new Uint8Array() } as never
      })
  }
  const http = tracedFetch(inner, (host) => host === "told.example")
  const outer = Tracer.externalSpan({ traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7", sampled: true })
  const fetched = http.fetch({ method: "GET", url, headers, body: new Uint8Array() } as never)
  await Effect.runPromise(Effect.withTracer(Effect.withParentSpan(fetched, outer), tracer))
  return seen[0]?.headers ?? []
}

test("a listed host is told the trace, others are told nothing", async () => {
  expect(await sentHeaders("https://told.example/prices")).toEqual([
    ["traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-b7ad6b7169203331-01"]
  ])
  expect(await sentHeaders("https://other.example/prices")).toEqual([])
  expect(await sentHeaders("https://told.example.other.example/")).toEqual([])
})

test("a program's own header goes out as it is", async () => {
  const own = [["TraceParent", "its own"]] as const
  expect(await sentHeaders("https://told.example/", own)).toEqual(own)
})
