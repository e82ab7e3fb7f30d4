/** A span that is sent to the collector when it ends. */
import { type Exit, Option, type Tracer } from "effect"
import { BegunSpan, type SpanBeginning } from "./begunSpan.ts"
import { newIds, spanIdIn, traceIdIn } from "./spanIds.ts"

/** What happened within a span, such as a line of the log. */
export interface SpanEvent {
  readonly name: string
  readonly atNanos: bigint
  readonly attributes: Record<string, unknown>
}

/** How a span has ended. */
export type SpanEnd = Extract<Tracer.SpanStatus, { readonly _tag: "Ended" }>

/** Takes a span that has ended. */
export type TakeSpan = (span: RecordedSpan, end: SpanEnd) => void

/** Its attributes, links and events change until its end. */
export class RecordedSpan extends BegunSpan implements Tracer.Span {
  readonly sampled = true
  readonly attributes = new Map<string, unknown>()
  readonly spanId: string
  readonly traceId: string
  events: ReadonlyArray<SpanEvent> = []
  readonly #take: TakeSpan

  constructor(take: TakeSpan, ...beginning: SpanBeginning) {
    super(...beginning)
    const ids = newIds()
    this.#take = take
    this.spanId = spanIdIn(ids)
    this.traceId = Option.isSome(this.parent) ? this.parent.value.traceId : traceIdIn(ids)
  }

  end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    if (this.status._tag === "Ended") return
    const ended: SpanEnd = { _tag: "Ended", startTime: this.status.startTime, endTime, exit }
    this.status = ended
    this.#take(this, ended)
  }

  attribute(name: string, value: unknown): void {
    this.attributes.set(name, value)
  }

  event(name: string, atNanos: bigint, attributes: Record<string, unknown> = {}): void {
    this.events = [...this.events, { name, atNanos, attributes }]
  }

  addLinks(links: ReadonlyArray<Tracer.SpanLink>): void {
    this.links = [...this.links, ...links]
  }
}
