/** Where a run stands in its trace, for the executor that gets it. */
import { traceParentOf, traceStateOf } from "@sibyl/core/internal"
import type { Tracer } from "effect"
import type { TraceOfTask } from "../contract/orders.ts"

/** The place of a span; `undefined` where nobody records it. */
export const traceOf = (span: Tracer.AnySpan | undefined): TraceOfTask | undefined => {
  if (span?.sampled !== true) return undefined
  const state = traceStateOf(span)
  return { parent: traceParentOf(span), ...(state === undefined ? {} : { state }) }
}
