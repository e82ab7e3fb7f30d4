/** The trace of one tick of a feed: its run, and the delivery of the result; linked to the request that started the feed. */
import { Context, Exit, Option, type Tracer } from "effect"
import type { Schedule } from "../../domain/runs/feedSchedule.ts"

/** The trace of a tick that is under way. */
export interface TickTrace {
  /** For the fiber of the run, from its start. */
  readonly span: Tracer.Span
  /** Delivers the result, inside of the trace, and ends it. */
  readonly end: (exit: Exit.Exit<unknown, unknown>, deliver: () => void) => void
}

/** Begins the trace of a tick. `cause` is the span of the request that started the feed. */
export type BeginTick = (mode: Schedule["mode"], seq: number, cause: Tracer.AnySpan | undefined) => TickTrace

/** Begins traces with this tracer. */
export const tickTraces =
  (tracer: Tracer.Tracer, nowNanos: () => bigint): BeginTick =>
  (mode, seq, cause) => {
    const links: Array<Tracer.SpanLink> = cause === undefined ? [] : [{ _tag: "SpanLink", span: cause, attributes: {} }]
    const span = tracer.span("feed.tick", Option.none(), Context.empty(), links, nowNanos(), "internal")
    span.attribute("sibyl.feed.mode", mode)
    span.attribute("sibyl.feed.seq", seq)
    return {
      span,
      end: (exit, deliver) => {
        if (!span.sampled) return deliver()
        const delivery = tracer.span("deliver", Option.some(span), Context.empty(), [], nowNanos(), "producer")
        deliver()
        delivery.end(nowNanos(), Exit.void)
        span.end(nowNanos(), exit)
      }
    }
  }
