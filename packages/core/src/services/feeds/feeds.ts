/** The scheduler of all feeds of a service: they share one timer wheel. */
import { Clock, Context, Effect, Layer, Runtime } from "effect"
import { Metrics } from "../../ports/metrics/metrics.ts"
import { runtimeInSpan } from "../fibers/runtimeInSpan.ts"
import { installedTracer } from "../fibers/traced.ts"
import { Feed, type FeedGround, type FeedPlan } from "./feed.ts"
import { tickTraces } from "./tickTrace.ts"
import { makeTimerWheel } from "./timerWheel.ts"

/** Starts feeds. Starting is synchronous: when it returns, run 0 has begun. */
export class Feeds extends Context.Tag("@sibyl/core/Feeds")<Feeds, { readonly start: <A, E>(plan: FeedPlan<A, E>) => Feed<A, E> }>() {
  /** On the clock of the layer's runtime. The wheel stops with the layer; whoever starts a feed stops it. */
  static readonly layer = Layer.scoped(
    Feeds,
    Effect.gen(function* () {
      const wheel = yield* makeTimerWheel
      const runtime = yield* Effect.runtime()
      const clock = yield* Clock.clockWith(Effect.succeed)
      const tracer = yield* installedTracer
      const ground: FeedGround = {
        wheel,
        fork: (run, span) => Runtime.runFork(runtimeInSpan(runtime, span))(run),
        wallClockMs: () => clock.unsafeCurrentTimeMillis(),
        metrics: yield* Metrics,
        ...(tracer === undefined ? {} : { beginTick: tickTraces(tracer, () => clock.unsafeCurrentTimeNanos()) })
      }
      return { start: (plan) => new Feed(ground, plan) }
    })
  )
}
