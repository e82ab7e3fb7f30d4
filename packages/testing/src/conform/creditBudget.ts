/** Keeps the audits within the credits that they may spend of the key's project. */
import { at, send } from "../audits/rest/call.ts"
import type { Target } from "../audits/rest/target.ts"

/** The most that one audit has spent and held at its end with the default tariff (16,689, measured), and half as much again. */
export const mostCreditsOfAudit = 25_000n

/** What may still be spent. */
export interface CreditBudget {
  /** Sets aside what one audit may spend; `false` if that is no longer there. What `true` set aside, `done` returns. */
  readonly begin: () => Promise<boolean>
  /** After an audit that was begun: what was spent since the last one ended. Notes if that is more than any before it. */
  readonly done: () => Promise<bigint>
  /** What was spent until now, with what is held. */
  readonly spent: () => Promise<bigint>
}

/** Whether one more audit fits, if each of those under way spends the most that one does. */
export const fits = (spent: bigint, underWay: bigint, most: bigint, max: bigint): boolean => spent + (underWay + 1n) * most <= max

const remainingOf = async (target: Target): Promise<bigint> => {
  const answer = await send({ ...target, trace: undefined }, { path: "/verify" })
  const remaining = at(answer.json, "remainingCreditsSnapshot")
  if (typeof remaining !== "string" || !/^-?\d+$/.test(remaining)) throw new Error("GET /verify shows no remainingCreditsSnapshot")
  return BigInt(remaining)
}

/** Watches the balance that `GET /verify` shows. Another spender of the same project counts, too. */
export const openCreditBudget = async (target: Target, maxCredits: bigint): Promise<CreditBudget> => {
  const first = await remainingOf(target)
  const spent = async (): Promise<bigint> => first - (await remainingOf(target))
  let most = mostCreditsOfAudit
  let underWay = 0n
  let spentAtLast = 0n
  return {
    spent,
    begin: async () => {
      // Counted before the question, so that two who ask at once do not get the same credits.
      underWay += 1n
      if (fits(await spent(), underWay - 1n, most, maxCredits)) return true
      underWay -= 1n
      return false
    },
    done: async () => {
      underWay -= 1n
      const now = await spent()
      const since = now - spentAtLast
      if (since > most) most = since
      spentAtLast = now
      return since
    }
  }
}
