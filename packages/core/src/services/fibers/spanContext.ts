/**
 * Where a fiber is in its trace: its context has the span around it, recorded or not. Such a context is not a copy of the whole, which has more
 * than fifty services and took 9 kB for each span of a run.
 */
import { Context, type Effect, FiberRef, Tracer } from "effect"

const { key: spanKey } = Tracer.ParentSpan

type Entry = [string, unknown]

/** The entries of another map, but for the span. Like every context's, it is only read: whoever adds something copies it. */
class WithSpan extends Map<string, unknown> {
  readonly base: Map<string, unknown>
  readonly span: Tracer.AnySpan

  constructor(base: Map<string, unknown>, span: Tracer.AnySpan) {
    super()
    this.base = base
    this.span = span
  }

  override get size(): number {
    return this.base.size + (this.base.has(spanKey) ? 0 : 1)
  }

  override get(key: string): unknown {
    return key === spanKey ? this.span : this.base.get(key)
  }

  override has(key: string): boolean {
    return key === spanKey || this.base.has(key)
  }

  /** The span first: references of fibers are compared when they change, and contexts entry by entry, up to one that differs. */
  override *entries(): Generator<Entry, undefined> {
    yield [spanKey, this.span]
    for (const entry of this.base) if (entry[0] !== spanKey) yield entry
  }

  override [Symbol.iterator](): Generator<Entry, undefined> {
    return this.entries()
  }

  override *keys(): Generator<string, undefined> {
    for (const [key] of this.entries()) yield key
  }

  override *values(): Generator<unknown, undefined> {
    for (const [, value] of this.entries()) yield value
  }

  override forEach(visit: (value: unknown, key: string, map: Map<string, unknown>) => void): void {
    for (const [key, value] of this.entries()) visit(value, key, this)
  }
}

/** As `Context.add` with `Tracer.ParentSpan`. */
export const contextInSpan = <R>(context: Context.Context<R>, span: Tracer.AnySpan): Context.Context<R> => {
  const { unsafeMap } = context
  return Context.unsafeMake(new WithSpan(unsafeMap instanceof WithSpan ? unsafeMap.base : unsafeMap, span))
}

/** Puts a span into the context of the fiber, which has this one. `Effect.provideService`, which also takes it out again, is a dozen steps more. */
export const putSpan = (context: Context.Context<never>, span: Tracer.AnySpan): Effect.Effect<void> =>
  FiberRef.set(FiberRef.currentContext, contextInSpan(context, span))
