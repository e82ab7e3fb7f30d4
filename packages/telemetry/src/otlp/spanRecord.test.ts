/** What is pushed of a span is what the library would push of it, without secrets; an error is told as one. */
import * as OtlpTracer from "@effect/opentelemetry/OtlpTracer"
import { OtlpSerialization } from "@effect/opentelemetry/OtlpSerialization"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { Cause, Context, Effect, Exit, FiberId, Option, Tracer } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { sampledTracer } from "./sampledTracer.ts"
import { spanRecord } from "./spanRecord.ts"

const secret = "sesame-3f9a"
const mask = (text: string): string => text.replaceAll(secret, "<secret>")

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({ maxLength: 12 }),
  fc.constantFrom(secret, `x${secret}`, '"', "\\", "\u001b[2J", "/execute")
)
const value = fc.oneof(text, text, fc.integer(), fc.boolean(), fc.double(), fc.constant(7n), fc.array(text, { maxLength: 2 }))
const attributes = fc.dictionary(text, value, { maxKeys: 5, noNullPrototype: true })
const outside = Tracer.externalSpan({ traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" })

const described = fc.record({
  name: text,
  attributes,
  hasParent: fc.boolean(),
  kind: fc.constantFrom<Tracer.SpanKind>("internal", "server", "client", "producer", "consumer"),
  events: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(fc.tuple(text, attributes), { maxLength: 2 })),
  links: fc.array(attributes, { maxLength: 1 }),
  exit: fc.constantFrom<Exit.Exit<unknown, unknown>>(Exit.void, Exit.interrupt(FiberId.none))
})

/** Calls to elsewhere begin no trace. */
const placed = described.map((span) => ({ ...span, hasParent: span.hasParent || span.kind === "client" }))

type Described = typeof described extends fc.Arbitrary<infer Made> ? Made : never

const spanOf = (tracer: Tracer.Tracer, { hasParent, kind, name }: Pick<Described, "hasParent" | "kind" | "name">): Tracer.Span =>
  tracer.span(name, hasParent ? Option.some(outside) : Option.none(), Context.empty(), [], 1_700_000_000_000_000_001n, kind)

const fill = (span: Tracer.Span, { attributes: given, events, exit, links }: Described): void => {
  for (const [key, one] of Object.entries(given)) span.attribute(key, one)
  for (const [name, of] of events) span.event(name, 1_700_000_000_000_000_002n, of)
  span.addLinks(links.map((of) => ({ _tag: "SpanLink", span: outside, attributes: of })))
  span.end(1_700_000_000_000_000_003n, exit)
}

interface Sent {
  readonly traceId: string
  readonly spanId: string
}

const empty = HttpBody.text("", "application/json")
const client = HttpClient.make((request) => Effect.succeed(HttpClientResponse.fromWeb(request, new Response("{}"))))

/** What the library sends of a span, before it is written. */
const sentByLibrary = async (span: Described): Promise<string> => {
  let sent = ""
  const traces = (data: unknown) => {
    const { resourceSpans } = data as { resourceSpans: ReadonlyArray<{ scopeSpans: ReadonlyArray<{ spans: ReadonlyArray<unknown> }> }> }
    sent = JSON.stringify(resourceSpans[0]?.scopeSpans[0]?.spans[0])
    return empty
  }
  const pushed = Effect.gen(function* () {
    const tracer = yield* OtlpTracer.make({ url: "http://127.0.0.1:1", resource: { serviceName: "sibyl" } })
    fill(spanOf(tracer, span), { ...span, links: [] })
  })
  await Effect.runPromise(
    Effect.scoped(pushed).pipe(
      Effect.provideService(HttpClient.HttpClient, client),
      Effect.provideService(OtlpSerialization, { traces, logs: () => empty, metrics: () => empty })
    )
  )
  return sent
}

/** The record of a span of ours. */
const recordOf = (span: Described): string => {
  let record = ""
  const write = spanRecord(mask)
  fill(
    spanOf(
      sampledTracer(1, (...ended) => void (record = write(...ended))),
      span
    ),
    span
  )
  return record
}

/** Without the ids, which are drawn. */
const told = (record: string, hasParent: boolean): unknown => {
  const { spanId, traceId, ...rest } = JSON.parse(record) as Sent
  expect([spanId, traceId]).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/), expect.stringMatching(/^[0-9a-f]{32}$/)])
  return hasParent ? { traceId, ...rest } : rest
}

describe("a span that has not failed", () => {
  it("for any texts and values", () =>
    fc.assert(
      fc.asyncProperty(placed, async (span) => {
        const bare = { ...span, links: [] }
        expect(told(recordOf(bare), span.hasParent)).toEqual(told(mask(await sentByLibrary(bare)), span.hasParent))
      })
    ))

  it("with what it is linked to", () => {
    const span: Described = {
      name: "tick",
      attributes: {},
      hasParent: false,
      kind: "internal",
      events: [],
      links: [{ [secret]: secret }],
      exit: Exit.void
    }
    const { spanId, traceId } = outside
    const linked = [{ key: "<secret>", value: { stringValue: "<secret>" } }]
    expect(told(recordOf(span), false)).toMatchObject({ links: [{ spanId, traceId, attributes: linked, droppedAttributesCount: 0 }] })
  })
})

it("a span that has failed tells the error", () => {
  const exit = Exit.failCause(Cause.fail(new TypeError(`no ${secret}`)))
  const record = recordOf({ name: "hold", attributes: {}, hasParent: true, kind: "internal", events: [], links: [], exit })
  expect(record).not.toContain(secret)
  expect(told(record, true)).toMatchObject({
    attributes: [],
    status: { code: 2, message: "no <secret>" },
    events: [
      {
        name: "exception",
        timeUnixNano: "1700000000000000003",
        attributes: [
          { key: "exception.type", value: { stringValue: "TypeError" } },
          { key: "exception.message", value: { stringValue: "no <secret>" } },
          { key: "exception.stacktrace", value: { stringValue: expect.stringContaining("TypeError: no <secret>") as string } }
        ]
      }
    ]
  })
})

it("a span is told once", () => {
  let taken = 0
  const span = spanOf(
    sampledTracer(1, () => void (taken += 1)),
    { name: "run", hasParent: false, kind: "internal" }
  )
  span.end(1n, Exit.void)
  span.end(2n, Exit.void)
  expect([taken, span.status]).toEqual([1, { _tag: "Ended", startTime: 1_700_000_000_000_000_001n, endTime: 1n, exit: Exit.void }])
})
