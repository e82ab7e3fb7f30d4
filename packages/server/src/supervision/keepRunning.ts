/** Keeps a process running: one that ends is replaced, until the scope closes. */
import { Deferred, Effect, type Scope } from "effect"
import type { CommandFailed } from "../output/failure.ts"
import { quickEnds, restartPauseMs } from "./restartPause.ts"
import { logPart } from "@sibyl/core/internal"

/** A process that works. */
export interface WorkingProcess {
  readonly pid: number | undefined
  /** How it ended, in words; never rejects. */
  readonly ended: Promise<string>
  /** Asks it to finish what it does, and to end. */
  readonly stop: () => void
}

/** What is kept. */
export interface Kept<Process extends WorkingProcess> {
  /** For the log. */
  readonly name: string
  /** Starts one; it works when this succeeds. */
  readonly start: Effect.Effect<Process, CommandFailed>
}

/** Starts the process, and answers which one works now. When the scope closes, it is asked to end, and has ended. */
export const keepRunning = <Process extends WorkingProcess>({
  name,
  start
}: Kept<Process>): Effect.Effect<() => Process | undefined, CommandFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const draining = yield* Deferred.make<void>()
    let working: Process | undefined = yield* Effect.uninterruptible(start)
    const isDraining = Deferred.isDone(draining)

    /** How the process ended, and how long it had lived. */
    const lived = Effect.gen(function* () {
      const since = performance.now()
      working ??= yield* start
      // It was not there yet when all were asked to end.
      if (yield* isDraining) working.stop()
      const how = yield* Effect.promise(() => working?.ended ?? Promise.resolve("no process"))
      working = undefined
      return { how, livedMs: performance.now() - since }
    }).pipe(Effect.catchAll(({ message }) => Effect.succeed({ how: `could not start: ${message}`, livedMs: 0 })))

    const keep = Effect.gen(function* () {
      let ends = 0
      while (!(yield* isDraining)) {
        const { how, livedMs } = yield* lived
        if (yield* isDraining) return
        ends = quickEnds(ends, livedMs)
        const pauseMs = restartPauseMs(ends)
        yield* Effect.annotateLogs(Effect.logWarning(`${name} ${how}; it is started again in ${pauseMs} ms`), logPart("processes"))
        yield* Effect.race(Effect.sleep(pauseMs), Deferred.await(draining))
      }
    })
    const stopped = Effect.gen(function* () {
      yield* Deferred.succeed(draining, undefined)
      working?.stop()
    })
    // Interruptible, or a pause would not end when draining begins: what acquires is not.
    yield* Effect.acquireRelease(Effect.forkDaemon(Effect.interruptible(keep)), (fiber) => Effect.zipRight(stopped, fiber.await))
    return () => working
  })
