/** Which of several requests with one `Idempotency-Key` runs, and what the others are answered (decision D34). */

/** The form of a key: 1 to 255 visible ASCII characters. */
export const idempotencyKeyForm = /^[\x21-\x7e]{1,255}$/

/** The first answer for a key, which is repeated. */
export interface KeptAnswer {
  readonly status: number
  readonly body: string
}

/**
 * The answer of a run that is not charged yet, under its key. Between its texts stand the credits that remain after the charge, as digits,
 * which only the transaction of the charge knows.
 */
export interface UnchargedAnswer {
  readonly key: string
  readonly status: number
  readonly texts: ReadonlyArray<string>
}

/** The answer that is stored with the charge of its run. */
export interface ChargedAnswer extends KeptAnswer {
  readonly key: string
  readonly expiresAtMs: number
}

/** A request for a key: project, fingerprint, and how long the claim holds without renewal. */
export interface IdempotencyInput {
  readonly projectId: string
  readonly key: string
  /** Equal for two requests with the same effective parameters. */
  readonly fingerprint: string
  /** Unique to this attempt. The first attempt's is the id of the run, whichever attempt completes it. */
  readonly attemptId: string
  readonly leaseMs: number
}

/** The right to run under a key. */
export interface IdempotencyClaim {
  readonly projectId: string
  readonly key: string
  readonly attemptId: string
  /** The id of the run. After a takeover it is the first attempt's: a run with this id may have been charged already. */
  readonly runId: string
  readonly takenOver: boolean
}

/** What a store keeps for a key. */
export interface IdempotencyRecord {
  readonly fingerprint: string
  readonly runId: string
  readonly attemptId: string
  readonly leaseEndMs: number
  /** From this time on the key is unused again. */
  readonly expiresAtMs: number
  /** `undefined` until the first request has been answered. */
  readonly answer: KeptAnswer | undefined
}

/** What an attempt has to do: run, repeat this answer, retry later, or refuse a key that belongs to another request. */
export type IdempotencyVerdict =
  | { readonly kind: "claimed"; readonly claim: IdempotencyClaim }
  | { readonly kind: "answered"; readonly answer: KeptAnswer }
  | { readonly kind: "running" }
  | { readonly kind: "otherRequest" }

/** How long an answer is kept, and how long an unanswered key stays bound to its request. */
export const keptMs = 86_400_000

/** The answer of a run with the credits that remain after its charge. */
export const chargedAnswer = ({ key, status, texts }: UnchargedAnswer, remaining: bigint, nowMs: number): ChargedAnswer => ({
  key,
  status,
  body: texts.join(`${remaining}`),
  expiresAtMs: nowMs + keptMs
})

/** The verdict on a request, and the record to write if it is a claim. A lapsed claim is taken over with its run's id. */
export const judgeIdempotency = (
  found: IdempotencyRecord | undefined,
  input: IdempotencyInput,
  nowMs: number
): { readonly verdict: IdempotencyVerdict; readonly record?: IdempotencyRecord } => {
  const known = found === undefined || found.expiresAtMs <= nowMs ? undefined : found
  if (known !== undefined && known.fingerprint !== input.fingerprint) return { verdict: { kind: "otherRequest" } }
  if (known?.answer !== undefined) return { verdict: { kind: "answered", answer: known.answer } }
  if (known !== undefined && nowMs < known.leaseEndMs) return { verdict: { kind: "running" } }
  const { attemptId, fingerprint, key, leaseMs, projectId } = input
  const runId = known?.runId ?? attemptId
  return {
    verdict: { kind: "claimed", claim: { projectId, key, attemptId, runId, takenOver: known !== undefined } },
    record: {
      fingerprint,
      runId,
      attemptId,
      leaseEndMs: nowMs + leaseMs,
      expiresAtMs: nowMs + keptMs,
      answer: undefined
    }
  }
}
