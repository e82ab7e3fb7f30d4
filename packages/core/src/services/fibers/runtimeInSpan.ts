/** Fibers that have a span from their start: one that is given it later changes its context twice, which costs three times as much. */
import { Context, FiberId, FiberRefs, Runtime, Tracer } from "effect"
import { UnrecordedSpan } from "./spanPlace.ts"

/** Whose place it is does not matter: each fiber has what it is forked with. */
const nobody = FiberId.none

/** A runtime whose fibers start in this span; the same runtime without one. */
export const runtimeInSpan = <R>(runtime: Runtime.Runtime<R>, span: Tracer.AnySpan | undefined): Runtime.Runtime<R> => {
  if (span === undefined) return runtime
  return span.sampled
    ? Runtime.make({ ...runtime, context: Context.add(runtime.context, Tracer.ParentSpan, span) })
    : Runtime.make({
        ...runtime,
        fiberRefs: FiberRefs.updateAs(runtime.fiberRefs, { fiberId: nobody, fiberRef: UnrecordedSpan, value: span })
      })
}
