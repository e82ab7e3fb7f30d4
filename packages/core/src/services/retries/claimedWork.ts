/** A request under a claim: it runs, its answer is kept, and the claim ends, whatever happens to the run (decision D34). */
import { Cause, type Context, Effect, Exit, LogLevel, Option } from "effect"
import type { IdempotencyClaim, KeptAnswer } from "../../domain/runs/idempotency.ts"
import type { Idempotency } from "../../ports/idempotency.ts"
import { logFailed } from "../../ports/logs/logFailed.ts"
import { storeUnavailableIn } from "../../ports/storeUnavailable.ts"

type Keys = Context.Tag.Service<Idempotency>

/** A request under a key. */
export interface RetriedWork<A extends KeptAnswer, E, R> {
  /** Runs the request under this id. A failure frees the key again. */
  readonly run: (runId: string) => Effect.Effect<A, E, R>
  /** The answer of the run with this id, if it was charged already. */
  readonly recall: (runId: string) => Effect.Effect<Option.Option<A>, never, R>
}

/** An answer, and whether it is a replay of the first one. */
export interface Answered<A extends KeptAnswer> {
  readonly answer: A | KeptAnswer
  readonly replayed: boolean
}

/** The lease of a claim: how long a retry waits if the process with the first attempt has died. */
export const claimLeaseMs = 15_000
const beatMs = claimLeaseMs / 3

const beat = (keys: Keys, claim: IdempotencyClaim): Effect.Effect<unknown> =>
  Effect.sleep(beatMs).pipe(
    Effect.zipRight(keys.renew(claim, claimLeaseMs)),
    Effect.catchAllCause((cause) => Effect.as(logFailed("a claim could not be renewed", cause, { part: "storage" }), true)),
    Effect.repeat({ while: (held) => held })
  )

/** An answer that cannot be stored now can be found again by the run's id. */
const logged = (effect: Effect.Effect<unknown>): Effect.Effect<void> =>
  Effect.catchAllCause(Effect.asVoid(effect), (cause) =>
    logFailed("an idempotency key was not updated", cause, { part: "storage", fault: LogLevel.Error })
  )

/** What is kept under the key, whoever has made it. */
const kept = (keys: Keys, claim: IdempotencyClaim) => Effect.catchAllCause(keys.answer(claim), () => Effect.succeedNone)

/**
 * What is kept is what is answered, also if another process has charged the run, or if the balance has changed since a charge that
 * was not acknowledged. An answer for which nothing was charged is not kept yet.
 */
const keep = <A extends KeptAnswer>(keys: Keys, claim: IdempotencyClaim, answered: Answered<A>) =>
  Effect.flatMap(kept(keys, claim), (found): Effect.Effect<Answered<A>> => {
    if (Option.isSome(found)) return Effect.succeed({ ...answered, answer: { ...answered.answer, ...found.value } })
    const { body, status } = answered.answer
    return Effect.as(logged(keys.keep(claim, { status, body })), answered)
  })

const recalled = <A extends KeptAnswer, E, R>(claim: IdempotencyClaim, { recall }: RetriedWork<A, E, R>) =>
  Effect.map(
    recall(claim.runId),
    Option.map((answer): Answered<A> => ({ answer, replayed: true }))
  )

const worked = <A extends KeptAnswer, E, R>(claim: IdempotencyClaim, work: RetriedWork<A, E, R>) => {
  const first = Effect.map(work.run(claim.runId), (answer): Answered<A> => ({ answer, replayed: false }))
  return claim.takenOver ? Effect.flatMap(recalled(claim, work), Option.match({ onNone: () => first, onSome: Effect.succeed })) : first
}

/** The answer of a run that was charged, as it is kept or as it can be made again. */
const foundCharged = <A extends KeptAnswer, E, R>(keys: Keys, claim: IdempotencyClaim, work: RetriedWork<A, E, R>) =>
  Effect.flatMap(keys.answer(claim), (charged): Effect.Effect<Option.Option<Answered<A>>, never, R> => {
    if (Option.isSome(charged)) return Effect.succeedSome({ answer: charged.value, replayed: true })
    return Effect.flatMap(recalled(claim, work), (found) =>
      Option.isNone(found) ? Effect.succeedNone : Effect.asSome(keep(keys, claim, found.value))
    )
  })

/** Runs, and completes or releases the claim then. */
export const underClaim = <A extends KeptAnswer, E, R>(keys: Keys, claim: IdempotencyClaim, work: RetriedWork<A, E, R>) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      // Forked as a child, so it ends with this fiber.
      yield* Effect.fork(Effect.interruptible(beat(keys, claim)))
      const exit = yield* Effect.exit(restore(worked(claim, work)))
      if (Exit.isSuccess(exit)) return yield* keep(keys, claim, exit.value)
      if (Cause.isFailure(exit.cause)) {
        // Whoever had the claim before may still be running, and its answer is that of the key: the next one looks for the run first.
        yield* logged(claim.takenOver ? keys.renew(claim, 0) : keys.release(claim))
        return yield* exit
      }
      // The run may have been charged before the error, or by another process that held the claim before.
      const found = yield* Effect.exit(foundCharged(keys, claim, work))
      if (Exit.isSuccess(found) && Option.isSome(found.value)) return found.value.value
      yield* logged(keys.renew(claim, 0))
      // Where nobody can look, whoever asks again is told what was charged.
      if (Exit.isFailure(found) && storeUnavailableIn(found.cause) !== undefined) return yield* Effect.failCause(found.cause)
      return yield* exit
    })
  )
