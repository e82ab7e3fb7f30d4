/** A span that is only a place in a trace: it is given on, and recorded nowhere. */
import { Option, type Tracer } from "effect"
import { BegunSpan } from "./begunSpan.ts"
import { newIds, spanIdIn, traceIdIn } from "./spanIds.ts"

const nothing: ReadonlyMap<string, unknown> = new Map()

/** Most have ids that nobody asks for. */
export class UnrecordedSpan extends BegunSpan implements Tracer.Span {
  readonly attributes = nothing
  readonly sampled = false
  #ids: string | undefined

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
