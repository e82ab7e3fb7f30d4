/** The port to the answers stored under idempotency keys (decision D34). */
import { Context, type Effect, type Option } from "effect"
import type { IdempotencyClaim, IdempotencyVerdict, IdempotencyInput, KeptAnswer } from "../domain/runs/idempotency.ts"

/** Stores the first answer of every key, per project. Changes are durable; expired keys are swept. */
export class Idempotency extends Context.Tag("@sibyl/core/Idempotency")<
  Idempotency,
  {
    /** Of many concurrent attempts, also in other processes, one is given the claim; `judgeIdempotency` has the rules. */
    readonly claim: (input: IdempotencyInput) => Effect.Effect<IdempotencyVerdict>
    /** Extends the claim to `leaseMs` from now; 0 ends it. False if it has been taken over or answered. */
    readonly renew: (claim: IdempotencyClaim, leaseMs: number) => Effect.Effect<boolean>
    /** The answer that is kept under a key, by `keep` or with the charge of its run (`Ledger.settle`), whoever has made it. */
    readonly answer: (claim: IdempotencyClaim) => Effect.Effect<Option.Option<KeptAnswer>>
    /**
     * Stores the answer for 24 hours; the first one stays. Does nothing if the claim was taken over. For answers of which nothing was charged:
     * those of charged runs are kept with the charge.
     */
    readonly keep: (claim: IdempotencyClaim, answer: KeptAnswer) => Effect.Effect<void>
    /** Frees the key: nothing ran under it. Does nothing if the claim was taken over. */
    readonly release: (claim: IdempotencyClaim) => Effect.Effect<void>
  }
>() {}
