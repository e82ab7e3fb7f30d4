/** The decision about a withdrawal: granted credits that an operator takes back (decision D33). */
import { remainingOf } from "./balance.ts"
import type { HoldRefusal } from "./credits.ts"
import { recall } from "./escrowDecisions.ts"
import { availableIn, type Draft, enter } from "./ledgerDraft.ts"
import type { LedgerOperation, LedgerOutcome } from "./ledgerOperation.ts"

const refusalOf = (credits: bigint, remaining: bigint): HoldRefusal => ({
  _tag: "InsufficientCredits",
  message: `${credits} credits cannot be withdrawn; ${remaining} remain beside what is held for runs`,
  details: { required: `${credits}`, remaining: `${remaining}` }
})

/** Takes back what is neither used nor held, all of what is asked for or nothing. */
export const withdraw = (draft: Draft, { credits }: LedgerOperation & { readonly kind: "withdraw" }, nowMs: number): LedgerOutcome => {
  if (credits < 0n) return { kind: "breach", message: `a withdrawal of ${credits} credits` }
  const remaining = remainingOf(availableIn(draft, null, nowMs))
  if (remaining < credits) {
    const refusal = refusalOf(credits, remaining)
    const escrowIds = recall(draft)
    return escrowIds.length === 0 ? { kind: "refused", refusal } : { kind: "recalling", refusal, escrowIds }
  }
  draft.account = { ...draft.account, granted: draft.account.granted - credits }
  enter(draft, "withdraw", credits, null, nowMs)
  return { kind: "done" }
}
