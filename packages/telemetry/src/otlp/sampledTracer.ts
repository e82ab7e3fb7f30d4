/** Which traces are recorded: those that a caller records, and a part of those that begin here. */
import { Context, DefaultServices, Option, Tracer } from "effect"
import { RecordedSpan, type TakeSpan } from "./recordedSpan.ts"
import { newIds, spanIdIn, traceIdIn } from "./spanIds.ts"

const nothing: ReadonlyMap<string, unknown> = new Map()

/** A span that is only a place in a trace: it is given on, and recorded nowhere. Most have ids that nobody asks for. */
class Unrecorded implements Tracer.Span {
  readonly _tag = "Span"
  readonly name: string
  readonly parent: Option.Option<Tracer.AnySpan>
  readonly context: Context.Context<never>
  readonly links: ReadonlyArray<Tracer.SpanLink>
  readonly kind: Tracer.SpanKind
  readonly status: Tracer.SpanStatus
  readonly attributes = nothing
  readonly sampled = false
  #ids: string | undefined

  constructor(...[name, parent, context, links, startTime, kind]: Parameters<Tracer.Tracer["span"]>) {
    this.name = name
    this.parent = parent
    this.context = context
    this.links = links
    this.kind = kind
    this.status = { _tag: "Started", startTime }
  }

  get spanId(): string {
    return spanIdIn((this.#ids ??= newIds()))
  }

  get traceId(): string {
    return Option.isSome(this.parent) ? this.parent.value.traceId : traceIdIn((this.#ids ??= newIds()))
  }

  end(): void {}
  attribute(): void {}
  event(): void {}
  addLinks(): void {}
}

/**
 * Operators of a fiber are called as this one does it, by the same function, in an object of the same form. Engines make one piece of the
 * interpreter's loop and a function that they have seen there from the start; another one would cost each operator a closure.
 */
const effectsOwn = Context.get(DefaultServices.liveServices, Tracer.Tracer)

/** The tracer for the spans that are sampled, which are taken when they end. */
export const sampledTracer = (ratio: number, take: TakeSpan): Tracer.Tracer =>
  Tracer.make({
    ...effectsOwn,
    span: (...[name, parent, context, links, startTime, kind]) => {
      // A call to elsewhere that is part of no trace, such as a statement of the housekeeping, is none of its own.
      const isSampled = Option.isSome(parent) ? parent.value.sampled : kind !== "client" && Math.random() < ratio
      return isSampled
        ? new RecordedSpan(take, name, parent, context, links, startTime, kind)
        : new Unrecorded(name, parent, context, links, startTime, kind)
    }
  })
