/** Where a fiber is in its trace. */
import { Context, type Fiber, FiberRef, FiberRefs, GlobalValue, Option, Tracer } from "effect"

/**
 * The span around a fiber that nobody records, which is only given on. A recorded one is in the fiber's context, where whatever makes spans finds
 * it; a span there is a copy of the whole context, of more than fifty services, which took 3 % of a trivial run.
 */
export const UnrecordedSpan: FiberRef.FiberRef<Tracer.AnySpan | undefined> = GlobalValue.globalValue("@sibyl/core/UnrecordedSpan", () =>
  FiberRef.unsafeMake<Tracer.AnySpan | undefined>(undefined)
)

/** What is known of a fiber that is running. */
export type PlacedFiber = Pick<Fiber.RuntimeFiber<unknown, unknown>, "currentSpan" | "getFiberRef">

/** The span around a fiber, recorded or not. */
export const spanAround = (fiber: PlacedFiber): Tracer.AnySpan | undefined => fiber.currentSpan ?? fiber.getFiberRef(UnrecordedSpan)

/** The same of a fiber's references, which is what loggers are given. */
export const spanAmong = (references: FiberRefs.FiberRefs): Tracer.AnySpan | undefined =>
  Option.getOrUndefined(Context.getOption(FiberRefs.getOrDefault(references, FiberRef.currentContext), Tracer.ParentSpan)) ??
  FiberRefs.getOrDefault(references, UnrecordedSpan)
