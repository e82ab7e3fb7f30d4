/** Fibers that have a span from their start: one that is given it later changes its references twice, which costs three times as much. */
import { Runtime, type Tracer } from "effect"
import { contextInSpan } from "./spanContext.ts"

/** A runtime whose fibers start in this span; the same runtime without one. */
export const runtimeInSpan = <R>(runtime: Runtime.Runtime<R>, span: Tracer.AnySpan | undefined): Runtime.Runtime<R> =>
  span === undefined ? runtime : Runtime.make({ ...runtime, context: contextInSpan(runtime.context, span) })
