/** The port to the answers kept under idempotency keys (decision D34). */
import { Context, type Effect } from "effect"
import type { IdempotencyClaim, IdempotencyVerdict, IdempotencyInput, KeptAnswer } from "../domain/runs/idempotency.ts"

/** Keeps the first answer of every key, per project. What a method did is durable; expired keys are swept. */
export class Idempotency extends Context.Tag("@sibyl/core/Idempotency")<
  Idempotency,
  {
    /** Of many attempts at once, across processes, one is given the claim; `judgeIdempotency` has the rules. */
    readonly claim: (input: IdempotencyInput) => Effect.Effect<IdempotencyVerdict>
    /** Lets the claim hold for `leaseMs` from now; 0 lets it lapse. False when it has been taken over or answered. */
    readonly renew: (claim: IdempotencyClaim, leaseMs: number) => Effect.Effect<boolean>
    /** Keeps the answer for 24 hours; the first one kept stays. Changes nothing when the claim was taken over. */
    readonly keep: (claim: IdempotencyClaim, answer: KeptAnswer) => Effect.Effect<void>
    /** Frees the key: nothing ran under it. Changes nothing when the claim was taken over. */
    readonly release: (claim: IdempotencyClaim) => Effect.Effect<void>
  }
>() {}
