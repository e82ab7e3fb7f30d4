/** Which traces are recorded: those that a caller records, and a part of those that begin here. */
import { Context, DefaultServices, Option, Tracer } from "effect"
import { RecordedSpan, type TakeSpan } from "./recordedSpan.ts"
import { UnrecordedSpan } from "./unrecordedSpan.ts"

/**
 * Operators of a fiber are called as this one does it, by the same function, in an object of the same form. Engines make one piece of the
 * interpreter's loop and a function that they have seen there from the start; another one would cost each operator a closure.
 */
const effectsOwn = Context.get(DefaultServices.liveServices, Tracer.Tracer)

/** The tracer for the spans that are sampled, which are taken when they end. */
export const sampledTracer = (ratio: number, take: TakeSpan): Tracer.Tracer =>
  Tracer.make({
    ...effectsOwn,
    span: (...beginning) => {
      const [, parent, , , , kind] = beginning
      // A call to elsewhere that is part of no trace, such as a statement of the housekeeping, is none of its own.
      const isSampled = Option.isSome(parent) ? parent.value.sampled : kind !== "client" && Math.random() < ratio
      return isSampled ? new RecordedSpan(take, ...beginning) : new UnrecordedSpan(...beginning)
    }
  })
