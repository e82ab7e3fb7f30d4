/**
 * What follows on work, as plain code. Effect's own operators take effects there, which are steps of their own: a third of the steps of a run
 * were such ends.
 */
import { Effect, Exit } from "effect"

/** What is left to do in the fiber when work has ended, if anything. */
type Left = Effect.Effect<void> | void

/** Work that is not interrupted before `after` has heard how it ended. */
const followed = <A, E, R>(work: Effect.Effect<A, E, R>, after: (exit: Exit.Exit<A, E>) => Left): Effect.Effect<A, E, R> => {
  const ended = (exit: Exit.Exit<A, E>): Effect.Effect<A, E> => {
    const left = after(exit)
    // Whoever has nothing to do may have answered anything: TypeScript lets a function that answers something stand for one that does not.
    return Effect.isEffect(left) ? Effect.zipRight(left, exit) : exit
  }
  return Effect.matchCauseEffect(work, {
    onFailure: (cause) => ended(Exit.failCause(cause)),
    onSuccess: (value) => ended(Exit.succeed(value))
  })
}

/** As `Effect.onExit`: whichever way the work ends, also by an interruption. */
export const onEnd = <A, E, R>(work: Effect.Effect<A, E, R>, after: (exit: Exit.Exit<A, E>) => Left): Effect.Effect<A, E, R> =>
  Effect.uninterruptibleMask((restore) => followed(restore(work), after))

/** As `Effect.acquireUseRelease`: what was taken is given back, whatever becomes of the work. */
export const whileTaken = <A, E, R, E2>(
  take: () => Effect.Effect<void, E2>,
  work: Effect.Effect<A, E, R>,
  giveBack: (exit: Exit.Exit<A, E>) => Left
): Effect.Effect<A, E | E2, R> => Effect.uninterruptibleMask((restore) => Effect.flatMap(take(), () => followed(restore(work), giveBack)))
