/** Keeps the audits within the credits that they may spend of the key's project. */
import { at, begunWith, send } from "../audits/rest/call.ts"
import type { Target } from "../audits/rest/target.ts"
import { unreached } from "./unreached.ts"

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

const noPrograms = {} as Target["programs"]

/** The balance that `GET /verify` shows. Rejects if it shows none. */
export const remainingOf = async (target: Pick<Target, "apiKey" | "baseUrl" | "fetch">): Promise<bigint> => {
  const address = `${target.baseUrl}/verify`
  const sent = send({ ...target, programs: noPrograms }, { path: "/verify" })
  const { json, redirectedTo, status, text } = await sent.catch(unreached(address))
  const asked = `GET ${address}`
  // A key is not sent on to another origin, so that a redirect there ends in a refusal that says nothing of it.
  const told = `${redirectedTo === undefined ? "" : `(redirected to ${redirectedTo}) `}${begunWith(text)}`
  if (status !== 200) throw new Error(`${asked} with the key was answered ${status} ${told}`)
  const remaining = at(json, "remainingCreditsSnapshot")
  if (typeof remaining !== "string" || !/^-?\d+$/.test(remaining)) {
    const fault = remaining === undefined ? "is absent" : `must be a string of digits, not ${JSON.stringify(remaining)}`
    throw new Error(`${asked}: remainingCreditsSnapshot ${fault}: ${told}`)
  }
  return BigInt(remaining)
}

/** Watches the balance that `GET /verify` shows, which was `first` before anything was spent. Another spender of the same project counts, too. */
export const openCreditBudget = (target: Target, first: bigint, maxCredits: bigint): CreditBudget => {
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
