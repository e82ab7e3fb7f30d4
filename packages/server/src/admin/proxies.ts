/** Data proxies, as `sibyl proxy` registers, lists and removes them. */
import { DataProxies, type DataProxy } from "@sibyl/core"
import { proxyKeyOf, proxyKeyRule } from "@sibyl/core/internal"
import { Effect, Option } from "effect"
import { amountRule, amountText, readAmount } from "../input/amount.ts"
import { asked } from "../input/asked.ts"
import { momentText } from "../input/moment.ts"
import type { Answer } from "../output/answer.ts"
import { CommandFailed } from "../output/failure.ts"
import { type Column, table } from "../output/table.ts"
import { namingOptions } from "./namingOptions.ts"

const documentOf = (proxy: DataProxy) => ({
  publicKey: proxy.publicKey,
  name: proxy.name,
  fee: proxy.feeCredits,
  active: proxy.active,
  registeredAt: momentText(proxy.registeredAtMs)
})

const columns: ReadonlyArray<Column<DataProxy>> = [
  { head: "proxy", cell: ({ publicKey }, paint) => paint("bold", publicKey) },
  { head: "name", cell: ({ name }) => name },
  { head: "fee", cell: ({ feeCredits }) => amountText(feeCredits), align: "right" },
  { head: "active", cell: ({ active }, paint) => (active ? paint("green", "yes") : paint("dim", "no")) },
  { head: "registered", cell: ({ registeredAtMs }) => momentText(registeredAtMs) }
]

const readKey = (text: string) =>
  asked("<public-key>", proxyKeyRule.replace(/^must be /, ""), text, (given) => Option.fromNullable(proxyKeyOf(given)))

/** The options of `sibyl proxy add`. */
export interface ProxyOptions {
  readonly name: string
  readonly fee: string
  readonly inactive: boolean
}

/** Registers a proxy, or changes the one that has its key. */
export const addProxy = (key: string, { fee, inactive, name }: ProxyOptions) =>
  Effect.gen(function* () {
    const publicKey = yield* readKey(key)
    const feeCredits = yield* asked("--fee", amountRule, fee, readAmount)
    const proxies = yield* DataProxies
    const proxy = yield* namingOptions(proxies.register({ publicKey, name, feeCredits, active: !inactive }))
    const answer: Answer = { document: documentOf(proxy), lines: (paint) => table([proxy], columns, "", paint) }
    return answer
  })

/** Lists every proxy. */
export const listProxies = Effect.map(
  Effect.flatMap(DataProxies, (proxies) => proxies.list),
  (proxies): Answer => ({
    document: { proxies: proxies.map(documentOf) },
    lines: (paint) => table(proxies, columns, "no data proxies yet: sibyl proxy add registers one", paint)
  })
)

/** Removes a proxy. */
export const removeProxy = (key: string) =>
  Effect.gen(function* () {
    const publicKey = yield* readKey(key)
    const removed = yield* Effect.flatMap(DataProxies, (proxies) => proxies.remove(publicKey))
    if (!removed) return yield* new CommandFailed({ message: `there is no data proxy ${publicKey}` })
    const answer: Answer = { document: { publicKey, removed }, lines: () => [`data proxy ${publicKey} is removed`] }
    return answer
  })
