/** Work in the background that nobody waits for: under each key one at a time. */
import { Effect } from "effect"
import { TransientMap } from "../../domain/encoding/transientMap.ts"

/** Begins the work in a fiber of its own, unless work under the key is under way. How it ends is nobody's concern. */
export type SoleRuns = <A, E, R>(key: string, work: Effect.Effect<A, E, R>) => Effect.Effect<void, never, R>

/** With nothing under way. */
export const makeSoleRuns = (): SoleRuns => {
  const underWay = new TransientMap<string, true>()
  return (key, work) =>
    Effect.asVoid(
      Effect.forkDaemon(
        // Looked at within the fiber: a caller that is interrupted before it has begun one would leave its mark for ever.
        Effect.suspend(() => {
          if (underWay.has(key)) return Effect.void
          underWay.set(key, true)
          const ended = Effect.sync(() => underWay.delete(key))
          return Effect.ensuring(
            Effect.catchAllCause(work, () => Effect.void),
            ended
          )
        })
      )
    )
}
