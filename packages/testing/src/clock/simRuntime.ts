/** A runtime on a virtual clock, ready at once. */
import { Effect, Exit, Layer, Runtime, Scope } from "effect"
import type { SimClock } from "./simClock.ts"

/** A runtime on a virtual clock. */
export interface SimRuntime<R> {
  readonly runtime: Runtime.Runtime<R>
  readonly fork: ReturnType<typeof Runtime.runFork<R>>
  /** Releases the layer and interrupts everything that it forked. */
  readonly close: () => void
}

/** Builds a layer on the clock. Throws if it cannot be built without waiting, because time does not advance meanwhile. */
export const makeSimRuntime = <R, E>(clock: SimClock, layer: Layer.Layer<R, E>): SimRuntime<R> => {
  const scope = Effect.runSync(Scope.make())
  const onClock = Layer.provideMerge(layer, clock.layer)
  const building = Effect.runFork(Scope.extend(Layer.toRuntime(onClock), scope), { scheduler: clock.scheduler })
  clock.advance(0)
  const exit = building.unsafePoll()
  if (exit === null) throw new Error("the layer waits for something that only time or a promise can bring")
  const runtime = Exit.getOrElse(exit, (cause) => {
    throw new Error("the layer cannot be built", { cause })
  })
  return {
    runtime,
    fork: Runtime.runFork(runtime),
    close: () => {
      Effect.runFork(Scope.close(scope, Exit.void), { scheduler: clock.scheduler })
      clock.advance(0)
    }
  }
}
