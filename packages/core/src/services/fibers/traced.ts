/** The spans of a run: request, phases, hold, settlement. They exist only where a tracer is installed to read them. */
import { Context, DefaultServices, Effect, Tracer } from "effect"

/** Effect's own tracer makes spans that nobody reads. */
const unread = Context.get(DefaultServices.liveServices, Tracer.Tracer)

/**
 * The effect in a span of this name, inside of the caller's span; without an installed tracer it is the effect itself. A span
 * that nobody reads would cost a run some 15 µs: a stack trace, a context and two copies of the fiber's references.
 */
export const traced = <A, E, R>(
  name: string,
  work: Effect.Effect<A, E, R>,
  attributes: Readonly<Record<string, string>> = {}
): Effect.Effect<A, E, R> =>
  Effect.withFiberRuntime((fiber) =>
    // A span is never required: `R` has no `ParentSpan`.
    fiber.currentTracer === unread ? work : (Effect.withSpan(work, name, { attributes }) as Effect.Effect<A, E, R>)
  )
