/** Work that goes on when its caller leaves: it lives in the scope of its service, and ends with it. */
import { Effect, type Exit, Fiber, Runtime, RuntimeFlags, type Scope } from "effect"
import { TransientMap } from "../../domain/encoding/transientMap.ts"

/** Who hears of detached work. Neither may throw. */
export interface DetachedListeners<A, E> {
  readonly left?: () => void
  readonly ended?: (exit: Exit.Exit<A, E>) => void
}

/** The detached work of one service. */
export interface DetachedRuns<A, E> {
  /**
   * Begins the work at once in a fiber of its own, and waits for its exit. If the caller is interrupted, `left` is called and the
   * work goes on. The fiber has the caller's references (owner, log annotations, tracer), of which no change comes back.
   * `ended` is called with how the work ended, before its caller goes on, and also if that has left.
   */
  readonly run: (work: Effect.Effect<A, E>, listeners?: DetachedListeners<A, E>) => Effect.Effect<A, E>
  /** Waits until no work is left. */
  readonly settled: Effect.Effect<void>
}

/**
 * Detached work until the scope closes, which interrupts it. `FiberSet.run` and `Fiber.join` do the same, but a join copies the
 * references of one fiber into the other, and between the two an interruption must be masked; here both are one operation.
 */
export const makeDetachedRuns = <A, E>(): Effect.Effect<DetachedRuns<A, E>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const fibers = new TransientMap<number, Fiber.RuntimeFiber<A, E>>()
    const whenSettled: Array<() => void> = []
    let isOpen = true
    let last = 0
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        isOpen = false
        return Fiber.interruptAll(fibers.values())
      })
    )
    const begin = (fiber: Fiber.RuntimeFiber<A, E>, ended: DetachedListeners<A, E>["ended"]): void => {
      const number = (last += 1)
      fibers.set(number, fiber)
      fiber.addObserver((exit) => {
        fibers.delete(number)
        ended?.(exit)
        if (fibers.size === 0) for (const tell of whenSettled.splice(0)) tell()
      })
    }
    return {
      run: (work, { ended, left } = {}) =>
        Effect.withFiberRuntime<A, E>((caller, { runtimeFlags }) => {
          if (!isOpen) return Effect.interrupt
          const ofCaller = Runtime.make({
            context: caller.currentContext,
            fiberRefs: caller.getFiberRefs(),
            // The caller may be uninterruptible.
            runtimeFlags: RuntimeFlags.enable(runtimeFlags, RuntimeFlags.Interruption)
          })
          return Effect.async<A, E>((resume) => {
            const fiber = Runtime.runFork(ofCaller)(work)
            begin(fiber, ended)
            fiber.addObserver(resume)
            return Effect.sync(() => {
              fiber.removeObserver(resume)
              left?.()
            })
          })
        }),
      settled: Effect.async<void>((resume) => {
        if (fibers.size === 0) return resume(Effect.void)
        whenSettled.push(() => resume(Effect.void))
      })
    }
  })
