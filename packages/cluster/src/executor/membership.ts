/** Membership in the group of executors: a member that cannot answer would get its share of all tasks, and each would wait for it in vain. */
import { Deferred, Effect, type Scope } from "effect"

/** Between two looks at whether answers are sent, in ms. */
const lookMs = 200

const until = (holds: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (holds() ? Effect.void : Effect.zipRight(Effect.sleep(lookMs), until(holds))))

/** Joins, is a member as long as it may answer, and joins again when it may; until the scope closes. Is done when it has joined first. */
export const memberWhile = (
  mayAnswer: () => boolean,
  join: Effect.Effect<void, never, Scope.Scope>
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const joined = yield* Deferred.make<void>()
    const stay = Effect.scoped(
      Effect.zipRight(
        join,
        Effect.zipRight(
          Deferred.succeed(joined, undefined),
          until(() => !mayAnswer())
        )
      )
    )
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(stay, until(mayAnswer))))
    yield* Deferred.await(joined)
  })
