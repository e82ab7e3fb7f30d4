/** What each span has from its beginning, whether or not it is recorded. */
import type { Tracer } from "effect"

/** What a tracer is given. */
export type SpanBeginning = Parameters<Tracer.Tracer["span"]>

/** A span that has begun. */
export abstract class BegunSpan {
  readonly _tag = "Span"
  readonly name: string
  readonly parent: Tracer.Span["parent"]
  readonly context: Tracer.Span["context"]
  readonly kind: Tracer.SpanKind
  links: ReadonlyArray<Tracer.SpanLink>
  status: Tracer.SpanStatus

  constructor(...[name, parent, context, links, startTime, kind]: SpanBeginning) {
    this.name = name
    this.parent = parent
    this.context = context
    this.kind = kind
    this.links = links
    this.status = { _tag: "Started", startTime }
  }
}
