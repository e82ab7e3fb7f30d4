/** Which traces are recorded: those that a caller records, and a part of those that begin here. */
import { Buffer } from "node:buffer"
import { randomFillSync } from "node:crypto"
import { Context, DefaultServices, Option, Tracer } from "effect"

/** Hexadecimal digits of a span's id, and with those of its trace's. */
const [spanDigits, idDigits] = [16, 48]

const pool = Buffer.alloc(4_096)
let used = pool.length

/** Digits for both ids, many drawn at once: numbers are written to another base by divisions. */
const newIds = (): string => {
  const bytes = idDigits / 2
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += bytes
  return pool.toString("hex", used - bytes, used)
}

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
    return (this.#ids ??= newIds()).slice(0, spanDigits)
  }

  get traceId(): string {
    return Option.isSome(this.parent) ? this.parent.value.traceId : (this.#ids ??= newIds()).slice(spanDigits)
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

/** The tracer for the spans that are sampled. `ended` is called at the end of each of them. */
export const sampledTracer = (tracer: Tracer.Tracer, ratio: number, ended: () => void): Tracer.Tracer =>
  Tracer.make({
    ...effectsOwn,
    span: (name, parent, context, links, startTime, kind, options) => {
      // A call to elsewhere that is part of no trace, such as a statement of the housekeeping, is none of its own.
      const isSampled = Option.isSome(parent) ? parent.value.sampled : kind !== "client" && Math.random() < ratio
      if (!isSampled) return new Unrecorded(name, parent, context, links, startTime, kind)
      const span = tracer.span(name, parent, context, links, startTime, kind, options)
      const end = span.end.bind(span)
      return Object.assign(span, {
        end: (...how: Parameters<Tracer.Span["end"]>) => {
          ended()
          end(...how)
        }
      })
    }
  })
