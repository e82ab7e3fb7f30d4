/** What is observed of a request: its span, from the fiber's start to its end, and its line of the log. */
import { Context, Effect, Exit, FiberRef, FiberRefs, Layer, Logger, Option, Tracer } from "effect"
import { describe, expect, it } from "vitest"
import { spanHere } from "../../services/fibers/traced.ts"
import { AccessLog, type AccessLogging } from "../../services/logs/accessLog.ts"
import { allWell, type Script } from "../../testdata/scriptedRuntime.ts"
import { openTestService, seamRequest } from "../../testdata/testService.ts"
import { Unauthorized } from "../../contract/errors.ts"
import { errorResponse } from "../transport/errorResponse.ts"
import type { ServiceRequest } from "../transport/seam.ts"
import { type ObservedRequest, requestObserver } from "./observedRequests.ts"
import { matchTarget, routesOf } from "../rest/routes.ts"

const ofEffect = Effect.runSync(Effect.tracer)

/** A tracer that keeps its spans; those of callers that are not sampled, and the others if `isSampled` says so, are sampled. */
const keeping = (spans: Array<Tracer.Span>, isSampled = true): Tracer.Tracer =>
  Tracer.make({
    context: (f) => f(),
    span: (name, parent, ...rest) => {
      const span = Object.assign(ofEffect.span(name, parent, ...rest), { sampled: Option.getOrUndefined(parent)?.sampled ?? isSampled })
      spans.push(span)
      return span
    }
  })

/** The outermost span of a trace within this process. */
const rootOf = (span: Tracer.Span): Tracer.Span => {
  const parent = Option.getOrUndefined(span.parent)
  return parent?._tag === "Span" ? rootOf(parent) : span
}

const routes = routesOf()
const answer = (status: number) => Exit.succeed({ status, headers: {}, body: "" })

/** Observes one request that ends so. */
const observed = (request: ServiceRequest, exit: Parameters<ObservedRequest["ended"]>[0]) =>
  Effect.map(requestObserver, (observe) => {
    const target = matchTarget(routes, request.url)
    if (target === undefined) throw new Error(`no route: ${request.url}`)
    const seen = observe(target, request, "id-1")
    return { seen, left: seen?.ended(exit) }
  })

const noting = (lines: Array<unknown>): AccessLogging => ({
  isOn: true,
  write: ({ fields: { ms, ...fields }, message, part }, { atMs, span }) => {
    expect([typeof ms, typeof atMs]).toEqual(["number", "number"])
    lines.push({ part, message, ...fields, span: span?._tag === "Span" ? span.name : undefined })
    return undefined
  }
})

const caller = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331"

describe("a request", () => {
  it("has a span in its caller's trace, with its route and what became of it, and a line in that span", () => {
    const [spans, lines]: [Array<Tracer.Span>, Array<unknown>] = [[], []]
    const request = seamRequest("GET", "/execute?execProgramId=x", { headers: { traceparent: `${caller}-01` } })
    const layer = Layer.merge(Layer.setTracer(keeping(spans)), Layer.succeed(AccessLog, noting(lines)))
    const annotated = Effect.annotateSpans(observed(request, answer(402)), "deployment", "blue")
    const { left, seen } = Effect.runSync(Effect.provide(annotated, layer))
    expect(left).toBeUndefined()
    expect(seen?.span).toBe(spans[0])
    const [span] = spans
    expect([span?.name, span?.kind, span?.traceId, span?.status._tag]).toEqual(["GET /execute", "server", caller.slice(3, 35), "Ended"])
    expect(Object.fromEntries(span?.attributes ?? [])).toEqual({
      deployment: "blue",
      "http.request.method": "GET",
      "http.route": "/execute",
      "sibyl.request.id": "id-1",
      "http.response.status_code": 402
    })
    expect(lines).toEqual([
      { part: "requests", message: "request", request_id: "id-1", method: "GET", route: "/execute", status: 402, span: "GET /execute" }
    ])
  })

  it("that its caller does not record has a place in that trace, which is not ended", () => {
    const spans: Array<Tracer.Span> = []
    const request = seamRequest("DELETE", "/execute", { headers: { traceparent: `${caller}-00` } })
    const { seen } = Effect.runSync(Effect.provide(observed(request, answer(405)), Layer.setTracer(keeping(spans))))
    expect([seen?.span?.name, seen?.span?.sampled, seen?.span?.status._tag]).toEqual(["HTTP /execute", false, "Started"])
    expect(seen?.span?.attributes.size).toBe(0)
  })

  it("that is refused has the tag of the error in its line", () => {
    const lines: Array<unknown> = []
    const layer = Layer.succeed(AccessLog, noting(lines))
    const refused = Exit.succeed(errorResponse(new Unauthorized({ message: "no key" }), "id-1"))
    Effect.runSync(Effect.provide(observed(seamRequest("GET", "/project"), refused), layer))
    expect(lines).toEqual([
      { part: "requests", message: "request", request_id: "id-1", method: "GET", route: "/project", status: 401, reason: "Unauthorized" }
    ])
  })

  it("that was interrupted has a line without a status, and a probe that went well has none", () => {
    const lines: Array<unknown> = []
    const layer = Layer.succeed(AccessLog, noting(lines))
    const see = (url: string, exit: Parameters<typeof observed>[1]) =>
      Effect.runSync(Effect.provide(observed(seamRequest("GET", url), exit), layer))
    see("/health", answer(200))
    expect(lines).toEqual([])
    see("/ready", answer(503))
    see("/project", Exit.interrupt(Effect.runSync(Effect.fiberId)))
    expect(lines).toMatchObject([{ route: "/ready", status: 503 }, { route: "/project" }])
    expect(lines[1]).not.toHaveProperty("status")
  })

  it("is answered although whoever observes it throws", () => {
    const failing = Tracer.make({
      context: (f) => f(),
      span: () => {
        throw new Error("no spans today")
      }
    })
    const layer = Layer.merge(
      Layer.setTracer(failing),
      Layer.succeed(AccessLog, {
        isOn: true,
        write: () => {
          throw new Error("no lines today")
        }
      })
    )
    expect(Effect.runSync(Effect.provide(observed(seamRequest("GET", "/health"), answer(500)), layer))).toEqual({
      seen: undefined,
      left: undefined
    })
    const unlogged = Layer.succeed(AccessLog, { isOn: true, write: () => expect.fail("no lines today") })
    expect(Effect.runSync(Effect.provide(observed(seamRequest("GET", "/health"), answer(500)), unlogged)).left).toBeUndefined()
  })

  it("is not observed where nobody wants to know", () => {
    expect(Effect.runSync(observed(seamRequest("GET", "/project"), answer(200))).seen).toBeUndefined()
  })
})

it.each([true, false])(
  "a run has its request's span around it, and the line comes from the service's loggers within it (sampled: %s)",
  async (isSampled) => {
    const [spans, around, lines]: [Array<Tracer.Span>, Array<unknown>, Array<unknown>] = [[], [], []]
    const script: Script = (request) =>
      Effect.flatMap(spanHere, (span) => {
        around.push(span?._tag === "Span" ? rootOf(span) : span)
        return allWell(request)
      })
    const logger = Logger.make<unknown, void>(({ context, message }) => {
      const span = Context.getOption(FiberRefs.getOrDefault(context, FiberRef.currentContext), Tracer.ParentSpan)
      lines.push([message, span])
    })
    const opened = await openTestService({ script })
    const service = await opened.openAnother((stores) =>
      Layer.mergeAll(
        Layer.succeedContext(stores),
        Layer.setTracer(keeping(spans, isSampled)),
        Logger.add(logger),
        Layer.succeed(AccessLog, AccessLog.toLoggers(true))
      )
    )
    const headers = { authorization: `Bearer ${opened.key}` }
    const response = await service.fetch(seamRequest("GET", `/execute?execProgramId=${opened.execProgramId}`, { headers }))
    expect(response?.status).toBe(200)
    const [root] = spans
    expect(root?.name).toBe("GET /execute")
    expect(around).toEqual([root, root])
    expect(lines).toContainEqual([["request"], Option.some(root)])
    // Of what is not sampled, nothing is a span but the request.
    expect(spans.length > 1).toBe(isSampled)
    expect(spans.map(({ status }) => status._tag)).toEqual(spans.map(() => (isSampled ? "Ended" : "Started")))
    await service.dispose()
    await opened.service.dispose()
  }
)
