/** The fiber that asks for a run, as the run's driver sees it. */
import { type HttpFetch, type Measuring, Metrics } from "@sibyl/core"
import { type BeginSpan, spanBeginnerOf } from "@sibyl/core/internal"
import { Clock, Context, Effect, type Fiber, Runtime, RuntimeFlags, Tracer } from "effect"
import type { ProxyAccess } from "./proxyAccess.ts"

/** What the requests of a run go out through. */
export type Outside = HttpFetch | ProxyAccess

/** Its clock and its span, and fibers like it for the requests of its run. */
export class RunCaller {
  readonly outside: Context.Context<Outside>
  readonly clock: Clock.Clock
  readonly metrics: Measuring
  readonly #fiber: Fiber.RuntimeFiber<unknown, unknown>
  #runtime: Runtime.Runtime<Outside> | undefined

  constructor(fiber: Fiber.RuntimeFiber<unknown, unknown>, outside: Context.Context<Outside>) {
    this.outside = outside
    this.clock = Context.unsafeGet(fiber.currentDefaultServices, Clock.Clock)
    this.metrics = Context.get(outside, Metrics)
    this.#fiber = fiber
  }

  get beginSpan(): BeginSpan | undefined {
    return spanBeginnerOf(this.#fiber)
  }

  /** Starts a request, with the references of the caller (log annotations, tracer). It can be interrupted, whether or not the caller can. */
  fork<A, E>(request: Effect.Effect<A, E, Outside>): Fiber.RuntimeFiber<A, E> {
    return Runtime.runFork((this.#runtime ??= this.#open()))(request)
  }

  /** With the caller's span, but without the rest of its context: that is large, and a copy of it costs more than a run without requests. */
  #open(): Runtime.Runtime<Outside> {
    const { currentSpan } = this.#fiber
    return Runtime.make({
      context: currentSpan === undefined ? this.outside : Context.add(this.outside, Tracer.ParentSpan, currentSpan),
      fiberRefs: this.#fiber.getFiberRefs(),
      runtimeFlags: requestFlags
    })
  }
}

const requestFlags = RuntimeFlags.make(RuntimeFlags.Interruption, RuntimeFlags.CooperativeYielding)

/** Work of a run, for whichever fiber asks for it. */
export const forCaller = <A, E>(outside: Context.Context<Outside>, work: (caller: RunCaller) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.withFiberRuntime((fiber) => work(new RunCaller(fiber, outside)))
