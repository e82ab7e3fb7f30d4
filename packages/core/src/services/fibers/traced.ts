/** The spans of a run: request, hold, phases, passes, settlement. They exist only where a tracer is installed to read them. */
import { Clock, Context, DefaultServices, Effect, Exit, type Fiber, FiberRef, HashMap, Option, Tracer } from "effect"
import type { TracePlace } from "../../domain/encoding/traceParent.ts"
import { whileTaken } from "./plainEnds.ts"
import { putSpan } from "./spanContext.ts"

/** Effect's own tracer makes spans that nobody reads. */
const unread = Context.get(DefaultServices.liveServices, Tracer.Tracer)

/** What a span tells beside its name. Never a secret, and nothing of unbounded size. */
export type SpanFacts = Readonly<Record<string, string | number | boolean>>

/** How a span stands to others. */
export interface SpanPlace {
  readonly kind?: Tracer.SpanKind
  /** The span of a caller outside of this process; asked for only where it is read. It must not throw. */
  readonly parent?: () => Tracer.AnySpan | undefined
  /** Begins a trace of its own, whatever the fiber's span. */
  readonly root?: boolean
  /** Spans that led to this one, of other traces. */
  readonly links?: ReadonlyArray<Tracer.SpanLink>
}

/** What a caller sent as `tracestate`, for those whom the trace is given on to. */
export class TraceState extends Context.Tag("@sibyl/core/TraceState")<TraceState, string>() {}

/** A span of another process. */
export const spanOutside = (place: TracePlace, state?: string): Tracer.ExternalSpan =>
  Tracer.externalSpan({ ...place, context: state === undefined ? Context.empty() : Context.make(TraceState, state) })

/** The state that the outermost caller sent along. */
export const traceStateOf = (span: Tracer.AnySpan): string | undefined => {
  if (span._tag === "ExternalSpan") return Option.getOrUndefined(Context.getOption(span.context, TraceState))
  return Option.isSome(span.parent) ? traceStateOf(span.parent.value) : undefined
}

const isUnread = (fiber: Pick<Fiber.RuntimeFiber<unknown, unknown>, "currentTracer">): boolean => fiber.currentTracer === unread

const note = (span: Tracer.Span, facts: SpanFacts): void => {
  for (const [name, value] of Object.entries(facts)) span.attribute(name, value)
}

/** `shared`: what whoever embeds the service adds to every span. */
const noteBeginning = (span: Tracer.Span, facts: SpanFacts, shared: HashMap.HashMap<string, unknown>): void => {
  HashMap.forEach(shared, (value, key) => span.attribute(key, value))
  note(span, facts)
}

/**
 * The effect in a span of this name, inside of the caller's span; without an installed tracer it is the effect itself. A span
 * that nobody reads would cost a run some 15 µs: a stack trace, a context and two copies of the fiber's references. One that is not
 * sampled is only a place for what is inside, which is given on to upstreams; it is neither timed nor ended.
 */
export const traced = <A, E, R>(
  name: string,
  work: Effect.Effect<A, E, R>,
  attributes: SpanFacts = {},
  place: SpanPlace = {}
): Effect.Effect<A, E, R> =>
  Effect.withFiberRuntime((fiber) => {
    const { currentTracer: tracer } = fiber
    if (tracer === undefined || isUnread(fiber) || !fiber.getFiberRef(FiberRef.currentTracerEnabled)) return work
    const { currentSpan: around } = fiber
    const { kind = "internal", links = [], root = false } = place
    const outside = place.parent?.()
    // What is inside of a span that was not sampled is not either.
    if (!root && outside === undefined && around?.sampled === false) return work
    const parent = outside ?? (root ? undefined : around)
    const clock = Context.unsafeGet(fiber.currentDefaultServices, Clock.Clock)
    const span = tracer.span(name, Option.fromNullable(parent), Context.empty(), links, clock.unsafeCurrentTimeNanos(), kind)
    if (span.sampled) noteBeginning(span, attributes, fiber.getFiberRef(FiberRef.currentTracerSpanAnnotations))
    const { currentContext: context } = fiber
    const enter = () => putSpan(context, span)
    return whileTaken(enter, work, (exit) => {
      if (span.sampled) span.end(clock.unsafeCurrentTimeNanos(), exit)
      return FiberRef.set(FiberRef.currentContext, context)
    })
  })

/** Adds what is known only now to the caller's span, if there is one that is read. */
export const noteOnSpan = (facts: () => SpanFacts): Effect.Effect<void> =>
  Effect.withFiberRuntime((fiber) => {
    const span = fiber.currentSpan
    if (!isUnread(fiber) && span?._tag === "Span" && span.sampled) note(span, facts())
    return Effect.void
  })

/** The tracer that was installed, if one was. */
export const installedTracer: Effect.Effect<Tracer.Tracer | undefined> = Effect.withFiberRuntime((fiber) =>
  Effect.succeed(isUnread(fiber) ? undefined : fiber.currentTracer)
)

/** The caller's span, where a tracer is installed. */
export const spanHere: Effect.Effect<Tracer.AnySpan | undefined> = Effect.withFiberRuntime((fiber) =>
  Effect.succeed(isUnread(fiber) ? undefined : fiber.currentSpan)
)

/** A span that fibers are given at their start, and how it ends, whatever became of them. */
export interface RootSpan {
  readonly span: Tracer.Span
  readonly end: (facts: SpanFacts, exit: Exit.Exit<unknown, unknown>) => void
}

/** Begins a span of kind `server`, in the trace of a caller if there is one. */
export type BeginRootSpan = (name: string, facts: SpanFacts, caller: Tracer.AnySpan | undefined) => RootSpan

/**
 * Begins spans outside of fibers; `undefined` where nobody would read them. A fiber that has its span from the start costs a third of one
 * that is given it later, which changes its context twice.
 */
export const rootSpanBeginner: Effect.Effect<BeginRootSpan | undefined> = Effect.withFiberRuntime((fiber) => {
  const { currentTracer: tracer } = fiber
  if (tracer === undefined || isUnread(fiber) || !fiber.getFiberRef(FiberRef.currentTracerEnabled)) return Effect.succeed(undefined)
  const shared = fiber.getFiberRef(FiberRef.currentTracerSpanAnnotations)
  const clock = Context.unsafeGet(fiber.currentDefaultServices, Clock.Clock)
  return Effect.succeed<BeginRootSpan>((name, facts, caller) => {
    const span = tracer.span(name, Option.fromNullable(caller), Context.empty(), [], clock.unsafeCurrentTimeNanos(), "server")
    if (!span.sampled) return { span, end: () => {} }
    noteBeginning(span, facts, shared)
    return {
      span,
      end: (more, exit) => {
        note(span, more)
        span.end(clock.unsafeCurrentTimeNanos(), exit)
      }
    }
  })
})

/** Begins a span and answers how to end it; for work that is no effect. */
export type BeginSpan = (name: string, attributes: SpanFacts, begunMsAgo?: number) => (attributes?: SpanFacts) => void

/** Begins spans inside of a fiber's; `undefined` where nobody would read them. */
export const spanBeginnerOf = (fiber: Fiber.RuntimeFiber<unknown, unknown>): BeginSpan | undefined => {
  const { currentSpan: parent, currentTracer: tracer } = fiber
  if (tracer === undefined || isUnread(fiber) || parent?.sampled !== true) return undefined
  const clock = Context.unsafeGet(fiber.currentDefaultServices, Clock.Clock)
  return (name, attributes, begunMsAgo = 0) => {
    const startNanos = clock.unsafeCurrentTimeNanos() - BigInt(Math.round(begunMsAgo * 1e6))
    const span = tracer.span(name, Option.some(parent), Context.empty(), [], startNanos, "internal")
    note(span, attributes)
    return (more = {}) => {
      note(span, more)
      span.end(clock.unsafeCurrentTimeNanos(), Exit.void)
    }
  }
}
