/** Requests under an idempotency key: the first runs, the others get its answer, across processes and crashes (decision D34). */
import { Context, Deferred, Effect, Fiber, FiberSet, Layer } from "effect"
import { IdempotencyKeyReused } from "../../contract/errors.ts"
import type { IdempotencyClaim, IdempotencyInput, KeptAnswer } from "../../domain/runs/idempotency.ts"
import { RecentMap } from "../../domain/encoding/recentMap.ts"
import { Idempotency } from "../../ports/idempotency.ts"
import { type Answered, claimLeaseMs, type RetriedWork, underClaim } from "./claimedWork.ts"

/** Answered keys that are remembered as such. */
const knownKeys = 10_000

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
          : Effect.timeoutOption(Deferred.await(ending), claimLeaseMs)
      }

      const held = <A extends KeptAnswer, E, R>(name: string, claim: IdempotencyClaim, work: RetriedWork<A, E, R>) =>
        Effect.flatMap(Deferred.make<void>(), (ending) => {
          ours.set(name, ending)
          return Effect.ensuring(
            underClaim(keys, claim, work),
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
              const verdict = yield* keys.claim({ ...input, leaseMs: claimLeaseMs })
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
