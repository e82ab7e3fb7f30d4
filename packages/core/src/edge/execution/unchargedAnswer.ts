/** The answer of a run before its charge: complete but for the credits that remain after it. */
import { emptyBalance, type Balance } from "../../domain/credits/balance.ts"
import type { KeptAnswer, UnchargedAnswer } from "../../domain/runs/idempotency.ts"

/** Where two texts of equal length differ first; -1 if they do not. */
const firstDifference = (left: string, right: string): number => {
  if (left === right) return -1
  let at = 0
  while (left.charCodeAt(at) === right.charCodeAt(at)) at += 1
  return at
}

/** With `remaining` credits left, everything else in an answer is the same. */
const withRemaining = (remaining: bigint): Balance => ({ ...emptyBalance, granted: remaining })

/**
 * The answer under a key. `shown` shows the run with a balance: what differs between 0 and 1 remaining credits, one digit, is the place of
 * their number, wherever the answer has it; without a summary it has none.
 */
export const unchargedAnswer = (key: string, shown: (balance: Balance) => KeptAnswer): UnchargedAnswer => {
  const [{ body, status }, other] = [shown(withRemaining(0n)), shown(withRemaining(1n))]
  const at = firstDifference(body, other.body)
  return { key, status, texts: at < 0 ? [body] : [body.slice(0, at), body.slice(at + 1)] }
}
