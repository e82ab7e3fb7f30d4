/** Requests under an idempotency key: the first runs, the others get its answer, across processes and crashes (decision D34). */
import { Cause, Context, Deferred, Effect, Exit, Fiber, FiberSet, Layer, LogLevel, Option } from "effect"
import { IdempotencyKeyReused } from "../contract/errors.ts"
import type { IdempotencyClaim, IdempotencyInput, KeptAnswer } from "../domain/runs/idempotency.ts"
import { RecentMap } from "../domain/encoding/recentMap.ts"
import { Idempotency } from "../ports/idempotency.ts"
import { storeUnavailableIn } from "../ports/storeUnavailable.ts"
import { logFailed } from "../ports/logs/logFailed.ts"

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

/** Answered keys that are remembered as such. */
const knownKeys = 10_000

/** The lease of a claim: how long a retry waits if the process with the first attempt has died. */
const leaseMs = 15_000
const beatMs = leaseMs / 3

/** The longest pause between two queries for another process's answer; the first is 10 ms, then it doubles. */
const longestPauseMs = 250

const isAnswered = {}

/** Answers each request under a key once. */
export class Retries extends Context.Tag("@sibyl/core/Retries")<
  Retries,
  {
    /**
     * Claims the key and runs, or waits for the answer of the attempt that has the claim. If the caller is interrupted, the
     * run goes on and its answer is stored. After an internal error the claim lapses: the next attempt looks for the run first.
     */
    readonly answerOnce: <A extends KeptAnswer, E, R>(
      input: Omit<IdempotencyInput, "leaseMs">,
      work: RetriedWork<A, E, R>
    ) => Effect.Effect<Answered<A>, E | IdempotencyKeyReused, R>
    /** Whether this process has had a request under the key lately, which is answered or under way. A hint: false says nothing. */
    readonly isKnown: (key: Pick<IdempotencyInput, "projectId" | "key">) => boolean
    /** Waits until every claim of this process is answered or released. */
    readonly settled: Effect.Effect<void>
  }
>() {
  /** Over the stored answers. Runs live in the layer's own scope. */
  static readonly layer = Layer.scoped(
    Retries,
    Effect.gen(function* () {
      const keys = yield* Idempotency
      const holders = yield* FiberSet.make<Answered<KeptAnswer>>()
      /** Claims of this process: waiting for one of them needs no query. */
      const ours = new Map<string, Deferred.Deferred<void>>()

      const answered = new RecentMap<object>(knownKeys)
      const nameOf = ({ key, projectId }: Pick<IdempotencyInput, "projectId" | "key">): string => `${projectId}/${key}`
      const isKnown = (key: Pick<IdempotencyInput, "projectId" | "key">): boolean => {
        const name = nameOf(key)
        return ours.has(name) || answered.get(name) !== undefined
      }

      const pause = (name: string, round: number): Effect.Effect<unknown> => {
        const ending = ours.get(name)
        return ending === undefined
          ? Effect.sleep(Math.min(longestPauseMs, 10 * 2 ** Math.min(round, 10)))
          : Effect.timeoutOption(Deferred.await(ending), leaseMs)
      }

      const beat = (claim: IdempotencyClaim): Effect.Effect<unknown> =>
        Effect.sleep(beatMs).pipe(
          Effect.zipRight(keys.renew(claim, leaseMs)),
          Effect.catchAllCause((cause) => Effect.as(logFailed("a claim could not be renewed", cause, { part: "storage" }), true)),
          Effect.repeat({ while: (held) => held })
        )

      /** An answer that cannot be stored now can be found again by the run's id. */
      const logged = (effect: Effect.Effect<unknown>): Effect.Effect<void> =>
        Effect.catchAllCause(Effect.asVoid(effect), (cause) =>
          logFailed("an idempotency key was not updated", cause, { part: "storage", fault: LogLevel.Error })
        )

      /** What is kept under the key, whoever has made it. */
      const kept = (claim: IdempotencyClaim) => Effect.catchAllCause(keys.answer(claim), () => Effect.succeedNone)

      /**
       * What is kept is what is answered, also if another process has charged the run, or if the balance has changed since a charge that
       * was not acknowledged. An answer for which nothing was charged is not kept yet.
       */
      const keep = <A extends KeptAnswer>(claim: IdempotencyClaim, answered: Answered<A>) =>
        Effect.flatMap(kept(claim), (found): Effect.Effect<Answered<A>> => {
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
        return claim.takenOver
          ? Effect.flatMap(recalled(claim, work), Option.match({ onNone: () => first, onSome: Effect.succeed }))
          : first
      }

      /** The answer of a run that was charged, as it is kept or as it can be made again. */
      const foundCharged = <A extends KeptAnswer, E, R>(claim: IdempotencyClaim, work: RetriedWork<A, E, R>) =>
        Effect.flatMap(keys.answer(claim), (charged): Effect.Effect<Option.Option<Answered<A>>, never, R> => {
          if (Option.isSome(charged)) return Effect.succeedSome({ answer: charged.value, replayed: true })
          return Effect.flatMap(recalled(claim, work), (found) =>
            Option.isNone(found) ? Effect.succeedNone : Effect.asSome(keep(claim, found.value))
          )
        })

      /** Runs under a claim, then completes or releases the claim. */
      const hold = <A extends KeptAnswer, E, R>(claim: IdempotencyClaim, work: RetriedWork<A, E, R>) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            // Forked as a child, so it ends with this fiber.
            yield* Effect.fork(Effect.interruptible(beat(claim)))
            const exit = yield* Effect.exit(restore(worked(claim, work)))
            if (Exit.isSuccess(exit)) return yield* keep(claim, exit.value)
            if (Cause.isFailure(exit.cause)) {
              // Whoever had the claim before may still be running, and its answer is that of the key: the next one looks for the run first.
              yield* logged(claim.takenOver ? keys.renew(claim, 0) : keys.release(claim))
              return yield* exit
            }
            // The run may have been charged before the error, or by another process that held the claim before.
            const found = yield* Effect.exit(foundCharged(claim, work))
            if (Exit.isSuccess(found) && Option.isSome(found.value)) return found.value.value
            yield* logged(keys.renew(claim, 0))
            // Where nobody can look, whoever asks again is told what was charged.
            if (Exit.isFailure(found) && storeUnavailableIn(found.cause) !== undefined) return yield* Effect.failCause(found.cause)
            return yield* exit
          })
        )

      const held = <A extends KeptAnswer, E, R>(name: string, claim: IdempotencyClaim, work: RetriedWork<A, E, R>) =>
        Effect.flatMap(Deferred.make<void>(), (ending) => {
          ours.set(name, ending)
          return Effect.ensuring(
            hold(claim, work),
            Effect.suspend(() => {
              if (ours.get(name) === ending) ours.delete(name)
              return Deferred.succeed(ending, undefined)
            })
          )
        })

      const answerOnce = <A extends KeptAnswer, E, R>(
        input: Omit<IdempotencyInput, "leaseMs">,
        work: RetriedWork<A, E, R>
      ): Effect.Effect<Answered<A>, E | IdempotencyKeyReused, R> =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const name = nameOf(input)
            for (let round = 0; ; round += 1) {
              const verdict = yield* keys.claim({ ...input, leaseMs })
              if (verdict.kind === "answered") {
                answered.set(name, isAnswered)
                return { answer: verdict.answer, replayed: true }
              }
              if (verdict.kind === "otherRequest") return yield* reused
              if (verdict.kind === "running") {
                yield* restore(pause(name, round))
                continue
              }
              const fiber = yield* FiberSet.run(holders, restore(held(name, verdict.claim, work)))
              const first = yield* restore(Fiber.join(fiber))
              answered.set(name, isAnswered)
              return first
            }
          })
        )

      return { answerOnce, isKnown, settled: FiberSet.awaitEmpty(holders) }
    })
  )
}

const reused = new IdempotencyKeyReused({
  message: "Idempotency-Key: was used for another request within the last 24 hours",
  details: { parameter: "Idempotency-Key" }
})
