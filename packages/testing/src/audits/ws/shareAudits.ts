/** Audits of shared feeds: who shares one, what its subscribers are sent, and that a tick is charged once (D47). */
import { type Audit, audit } from "../audit.ts"
import { holds, same } from "../check.ts"
import { at } from "../rest/call.ts"
import type { Message, WireClient } from "../../wire/wireClient.ts"
import { ask, awaitResults, ownProjectOf, pause, resultsOf, settledCredits, startFeed, type StartParams } from "./requests.ts"
import { openClient, type WsTarget } from "./wsTarget.ts"

const shared = (target: WsTarget, params: Partial<StartParams> = {}): StartParams => ({
  execute: { execProgramId: target.programs.echo, execInputs: "shared" },
  periodicityMs: 50,
  mode: "FIXED",
  share: true,
  ...params
})

/** Opens several clients while `use` runs. */
const withClients = async <A>(
  target: WsTarget,
  keys: ReadonlyArray<string | undefined>,
  use: (...clients: ReadonlyArray<WireClient>) => Promise<A>
): Promise<A> => {
  const clients = await Promise.all(keys.map((key = target.apiKey) => openClient(target, { key })))
  try {
    return await use(...clients)
  } finally {
    for (const client of clients) client.reset()
  }
}

const textsOf = (client: WireClient | undefined): ReadonlyArray<string> =>
  (client?.messages ?? []).filter(({ json }) => json["method"] === "feed.result").map(({ text }: Message) => text)

const need = <A>(value: A | undefined): A => {
  if (value === undefined) throw new Error("a client is missing")
  return value
}

const isOneFeed = audit<WsTarget>(
  "WS-SHARE-001",
  "MUST",
  "D47",
  "equal shared feeds have one id on every connection of a project; one that differs in anything has another, and so has a plain one",
  (target) =>
    withClients(target, [undefined, undefined], async (...clients) => {
      const [one, other] = clients.map((client) => (params: Partial<StartParams>) => startFeed(client, shared(target, params)))
      const first = await need(one)({})
      const execute = shared(target).execute
      const differing = [
        { periodicityMs: 51 },
        { mode: "SEQUENTIAL" as const },
        { execute: { ...execute, execInputs: "other" } },
        { execute: { ...execute, tallyInputs: "other" } },
        { execute: { ...execute, encoding: "base64" } },
        { execute: { ...execute, includeSummary: "true" } },
        { share: false }
      ]
      const others: Array<string> = []
      for (const params of differing) others.push(await need(other)(params))
      return [
        same("on another connection", await need(other)({}), first),
        same("with what goes without saying", await need(other)({ execute: { ...execute, encoding: "hex", noPrefetch: "false" } }), first),
        same("different ones", new Set([first, ...others]).size, differing.length + 1)
      ]
    })
)

const isSentAlike = audit<WsTarget>(
  "WS-SHARE-002",
  "MUST",
  "D47",
  "every subscriber is sent the same bytes for each tick, once, in order; a later one goes on with the number that is next",
  (target) =>
    withClients(target, [undefined, undefined], async (...clients) => {
      const [first, second] = [need(clients[0]), need(clients[1])]
      const feedId = await startFeed(first, shared(target))
      await awaitResults(first, feedId, 3)
      await startFeed(second, shared(target))
      await awaitResults(second, feedId, 5)
      await first.until(() => (textsOf(first).includes(textsOf(second)[4] ?? "") ? true : undefined), target.settlingMs)
      const [early, late] = [textsOf(first), textsOf(second).slice(0, 5)]
      const seqs = resultsOf(first, feedId).map(({ seq }) => seq)
      const begin = early.indexOf(late[0] ?? "")
      return [
        same(
          "the first one's numbers follow each other",
          seqs,
          seqs.map((_, index) => (seqs[0] ?? 0) + index)
        ),
        holds("the later one joined in the middle", begin >= 3, begin),
        same("from then on, the same texts", late, early.slice(begin, begin + 5))
      ]
    })
)

const chargedOnce = audit<WsTarget>(
  "WS-SHARE-003",
  "MUST",
  "D47",
  "a tick is one run: it is charged once, however many subscribe",
  async (plain) => {
    const target = await ownProjectOf(plain)
    const before = Number(await settledCredits(target, target.apiKey))
    const { costs, ticks } = await withClients(target, [undefined, undefined, undefined, undefined], async (...clients) => {
      const execute = { execProgramId: target.programs.echo, execInputs: "charged", includeSummary: "true" }
      // Long enough that the last one leaves before a second run could begin after one whose result is still under way to it.
      const params = shared(target, { execute, periodicityMs: 250 })
      const ids = await Promise.all(clients.map((client) => startFeed(client, params)))
      await Promise.all(clients.map((client, at) => awaitResults(client, ids[at] ?? "", 5)))
      // The last one that leaves was sent every run that ended before its stop.
      for (const [index, client] of clients.entries()) await ask(client, "feed.stop", { feedId: ids[index] })
      const results = clients.flatMap((client, index) => resultsOf(client, ids[index] ?? ""))
      return {
        ticks: new Set(results.map(({ seq }) => seq)).size,
        costs: new Map(results.map(({ result }) => [at(result, "data", "id"), Number(at(result, "data", "summary", "creditsUsed"))]))
      }
    })
    const charged = Number(await settledCredits(target, target.apiKey)) - before
    const seen = [...costs.values()].reduce((sum, credits) => sum + credits, 0)
    const [cost = 0] = costs.values()
    return [
      same("runs, of which each tick has one", costs.size, ticks),
      holds("they have a price", cost > 0, cost),
      // Nobody was told of a run that was in flight at the last stop: one at most.
      holds("what they saw was charged, and one more run at most", charged >= seen && charged <= seen + cost, [charged, seen, cost])
    ]
  }
)

const endsForOne = audit<WsTarget>(
  "WS-SHARE-004",
  "MUST",
  "D47/D39",
  "feed.stop ends a shared feed for its connection alone; asked for twice, it is one; the last one's stop ends the runs",
  async (plain) => {
    const target = await ownProjectOf(plain)
    return withClients(target, [undefined, undefined], async (...clients) => {
      const [first, second] = [need(clients[0]), need(clients[1])]
      const feedId = await startFeed(first, shared(target))
      const again = await startFeed(first, shared(target))
      await startFeed(second, shared(target))
      await awaitResults(first, feedId, 3)
      const texts = textsOf(first)
      await ask(first, "feed.stop", { feedId })
      const stopped = textsOf(first).length
      const going = resultsOf(second, feedId).length
      await awaitResults(second, feedId, going + 3)
      const late = textsOf(first).length - stopped
      const unknown = await ask(first, "feed.stop", { feedId })
      await ask(second, "feed.stop", { feedId })
      const settled = await settledCredits(target, target.apiKey)
      await pause(300)
      return [
        same("asked for twice", again, feedId),
        same("each result once", new Set(texts).size, texts.length),
        same("after the reply", late, 0),
        same("a second stop", at(unknown?.json, "error", "code"), 32001),
        same("credits after the last stop", await settledCredits(target, target.apiKey), settled)
      ]
    })
  }
)

const staysInItsProject = audit<WsTarget>(
  "WS-SHARE-005",
  "MUST",
  "D47",
  "another project's equal feed is another one: another id, other runs",
  async (target) => {
    if (target.operator === undefined) return { skip: "a project of its own needs an operator" }
    const foreign = await target.operator.freshKey()
    return withClients(target, [undefined, foreign], async (...clients) => {
      const ids = await Promise.all(clients.map((client) => startFeed(client, shared(target))))
      const results = await Promise.all(clients.map((client, index) => awaitResults(client, ids[index] ?? "", 3)))
      const runs = results.map((each) => new Set(each.map(({ result }) => at(result, "data", "id"))))
      const common = [...(runs[0] ?? [])].filter((id) => runs[1]?.has(id) === true)
      return [holds("ids", ids[0] !== ids[1], ids), same("common runs", common, [])]
    })
  }
)

const refusedAlike = audit<WsTarget>(
  "WS-SHARE-006",
  "MUST",
  "D47/D40",
  "without credits every subscriber is told so at each tick, as by a plain feed, and the feed continues",
  async (target) => {
    const { keyWithoutCredits: key } = target
    if (key === undefined) return { skip: "needs a key of a project without credits" }
    return withClients(target, [key, key], async (...clients) => {
      const feedIds = await Promise.all(clients.map((client) => startFeed(client, shared(target))))
      const results = await Promise.all(clients.map((client, index) => awaitResults(client, feedIds[index] ?? "", 3)))
      return results.map((each, index) =>
        same(
          `subscriber ${index + 1}`,
          each.slice(0, 3).map(({ error }) => [at(error, "_tag"), at(error, "code")]),
          Array.from({ length: 3 }, () => ["InsufficientCredits", 36003])
        )
      )
    })
  }
)

/** Shared feeds. */
export const shareAudits: ReadonlyArray<Audit<WsTarget>> = [
  isOneFeed,
  isSentAlike,
  chargedOnce,
  endsForOne,
  staysInItsProject,
  refusedAlike
]
