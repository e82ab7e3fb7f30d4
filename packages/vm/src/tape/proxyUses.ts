/** What a phase owes to data proxies, derived from its tape, so that it is the same for every ending, even a deadline. */
import type { ProxyUse } from "@sibyl/core"
import type { ProxyPrice, Tape } from "./tape.ts"

/** Whether an answer with this status is paid for. */
export const isPaidStatus = (status: number): boolean => status >= 200 && status <= 299

/** The price of the program's next proxied request; `undefined` if it has not been requested. */
export const standingPrice = ({ entries }: Tape): (ProxyPrice & { readonly known: true }) | undefined => {
  const last = entries.at(-1)
  return last?.kind === "proxyPrice" && last.answer.known ? last.answer : undefined
}

/** The calls that were answered with a status of 200 to 299, by proxy and fee, in the order of their first occurrence. */
export const proxyUsesOf = ({ entries }: Tape): ReadonlyArray<ProxyUse> => {
  const uses = new Map<string, ProxyUse>()
  entries.forEach((entry, at) => {
    const before = entries[at - 1]
    if (entry.kind !== "proxyFetch" || !isPaidStatus(entry.answer.status)) return
    if (before?.kind !== "proxyPrice" || !before.answer.known) return
    const { feeCredits, publicKey } = before.answer
    const name = `${publicKey} ${feeCredits}`
    uses.set(name, { publicKey, feeCredits, calls: (uses.get(name)?.calls ?? 0) + 1 })
  })
  return [...uses.values()]
}

/** The credits that these calls cost. */
export const feesOf = (uses: ReadonlyArray<ProxyUse>): bigint =>
  uses.reduce((sum, { calls, feeCredits }) => sum + feeCredits * BigInt(calls), 0n)
