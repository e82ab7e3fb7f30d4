/** A server that is asked to end has ended in time, whatever does not answer it: a database that is silent takes each of its last questions seconds. */
import { Effect, Fiber, type Scope } from "effect"
import { exitCodes } from "../output/failure.ts"

/** An end that takes longer is worth a word. */
const quietMs = 2_000

/** Later than the end of what runs, which has 45 s; sooner than supervisors kill, which the units and the compose file let wait for a minute. */
const mostMs = 50_000

const late =
  "the server ends with work that is not done, most likely because the database does not answer; credits that it holds return when their leases end"

/** How a process ends at once. */
export type EndNow = () => void

const watch = (endNow: EndNow): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* Effect.sleep(quietMs)
    yield* Effect.logInfo(`the server ends: what is running is waited for, ${mostMs / 1_000} s at most`)
    yield* Effect.sleep(mostMs - quietMs)
    yield* Effect.logError(late)
    yield* Effect.sync(endNow)
  })

/**
 * Keeps to that time from within the scope that the server closes with: yielded first of all, and what it answers last of all, so that the
 * time counts from when the scope begins to close until it is closed.
 */
export const endsInTime = (
  endNow: EndNow = () => process.exit(exitCodes.failed)
): Effect.Effect<Effect.Effect<void, never, Scope.Scope>, never, Scope.Scope> =>
  Effect.gen(function* () {
    let watching: Fiber.RuntimeFiber<void> | undefined
    yield* Effect.addFinalizer(() => (watching === undefined ? Effect.void : Fiber.interrupt(watching)))
    const begin = Effect.map(Effect.forkDaemon(Effect.interruptible(watch(endNow))), (fiber) => void (watching = fiber))
    return Effect.addFinalizer(() => begin)
  })
