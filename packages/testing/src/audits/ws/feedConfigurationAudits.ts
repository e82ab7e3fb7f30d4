/** Audits of what a feed is started with: each has its own parameters, shows its results as asked, and leaves its runs in the history. */
import { type Audit, audit } from "../audit.ts"
import { holds, keysAre, same } from "../check.ts"
import { at, freshInputs, send } from "../rest/call.ts"
import { dataKeys, phaseKeys } from "../rest/wireForms.ts"
import { ask, awaitResults, isErrorReply, resultsOf, startFeed } from "./requests.ts"
import { withClient, type WsTarget } from "./wsTarget.ts"

const keepsFeedsApart = audit<WsTarget>(
  "WS-FEED-010",
  "MUST",
  "interface.md#feed-lifecycle",
  "feeds of one connection keep their own program, inputs, encoding and mode, each with numbers of its own",
  (target) =>
    withClient(target, async (client) => {
      const { echo, failing } = target.programs
      const feeds = [
        { execute: { execProgramId: echo, execInputs: "one", encoding: "utf8" }, mode: "FIXED" as const, wanted: "one" },
        { execute: { execProgramId: echo, execInputs: "two", encoding: "base64" }, mode: "SEQUENTIAL" as const, wanted: "dHdv" },
        { execute: { execProgramId: echo, execInputs: [3], encoding: "json" }, mode: "PARALLEL" as const, wanted: [3] },
        { execute: { execProgramId: failing, encoding: "utf8" }, mode: "FIXED" as const, wanted: "half done" }
      ]
      const ids: Array<string> = []
      for (const { execute, mode } of feeds) ids.push(await startFeed(client, { execute, mode, periodicityMs: 20 }))
      // Of parallel runs, a later one may end first.
      const first = [0, 1, 2, 3]
      const numbersOf = (feedId: string) => resultsOf(client, feedId).map(({ seq }) => seq)
      await Promise.all(
        ids.map((feedId) => client.until(() => (first.every((number) => numbersOf(feedId).includes(number)) ? true : undefined)))
      )
      return feeds.flatMap(({ wanted }, index) => {
        const own = resultsOf(client, ids[index] ?? "")
        const shown = own.map(({ error, result }) => JSON.stringify(at(result ?? error, "data", "result")))
        return [
          same(`feed ${index}: results`, [...new Set(shown)], [JSON.stringify(wanted)]),
          same(
            `feed ${index}: numbers`,
            own
              .map(({ seq }) => seq)
              .filter((seq) => seq <= first.length - 1)
              .toSorted((left, right) => left - right),
            first
          )
        ]
      })
    })
)

const showsAsAsked = audit<WsTarget>(
  "WS-FEED-011",
  "MUST",
  "interface.md#feed-start/D1/D12/D16",
  "each run of a feed has the summary and the phases that were asked for; an error has them in data alone, and no copies beside it",
  (target) =>
    withClient(target, async (client) => {
      const more = { includeDebugInfo: true, includeSummary: true }
      const start = (execProgramId: string, options: object) =>
        startFeed(client, { execute: { execProgramId, ...options }, mode: "SEQUENTIAL", periodicityMs: 20 })
      const feeds = [
        await start(target.programs.printing, more),
        await start(target.programs.printing, {}),
        await start(target.programs.failing, more)
      ]
      const [full, plain, failed] = await Promise.all(feeds.map(async (feedId) => (await awaitResults(client, feedId, 2))[1]))
      return [
        keysAre("asked for", at(full?.result, "data"), [...dataKeys, "execute", "tally", "summary"]),
        keysAre("a phase", at(full?.result, "data", "tally"), phaseKeys),
        same("stdout", at(full?.result, "data", "execute", "stdout"), "exec out\n"),
        keysAre("not asked for", at(plain?.result, "data"), dataKeys),
        keysAre("a failure", failed?.error, ["_tag", "code", "error", "message", "data"]),
        keysAre("its data", at(failed?.error, "data"), [...dataKeys, "execute", "summary"])
      ]
    })
)

const areInTheHistory = audit<WsTarget>(
  "WS-FEED-012",
  "MUST",
  "interface.md#get-data-request-reports/D11/D28",
  "runs over a WebSocket are in the history: those of feed.execute as ws, those of feeds as feed, each under the id that was sent",
  (target) =>
    withClient(target, async (client) => {
      const execute = { execProgramId: target.programs.echo, execInputs: freshInputs() }
      const reply = await ask(client, "feed.execute", execute)
      const feedId = await startFeed(client, { execute, mode: "SEQUENTIAL", periodicityMs: 10 })
      await awaitResults(client, feedId, 3)
      await ask(client, "feed.stop", { feedId })
      const drId = String(at(reply?.json, "result", "data", "dataResult", "drId"))
      const { json } = await send(target, { path: "/data-request-reports", query: { drId, amount: "100" } })
      const data = at(json, "data")
      const entries: ReadonlyArray<unknown> = Array.isArray(data) ? data : []
      const sourceOf = (id: unknown): unknown =>
        at(
          entries.find((entry) => at(entry, "id") === id),
          "source"
        )
      const sent = resultsOf(client, feedId).map(({ result }) => at(result, "data", "id"))
      return [
        same("feed.execute", sourceOf(at(reply?.json, "result", "data", "id")), "ws"),
        holds("runs of the feed were sent", sent.length >= 3, sent.length),
        same(
          "runs of the feed",
          sent.map(sourceOf),
          sent.map(() => "feed")
        )
      ]
    })
)

const endsThatFeedAlone = audit<WsTarget>(
  "WS-FEED-013",
  "MUST",
  "interface.md#feed-lifecycle/D17",
  "feed.stop ends that feed alone: each other feed of the connection goes on, and can then be stopped itself",
  (target) =>
    withClient(target, async (client) => {
      const execute = { execProgramId: target.programs.echo, execInputs: "alone" }
      const modes = ["FIXED", "SEQUENTIAL", "PARALLEL"] as const
      // Rare enough that no queue of runs grows on a busy service.
      const start = (mode: (typeof modes)[number]): Promise<string> => startFeed(client, { execute, mode, periodicityMs: 500 })
      const stopped = await start("FIXED")
      const others = await Promise.all(modes.map(start))
      await Promise.all([stopped, ...others].map((feedId) => awaitResults(client, feedId, 1)))
      const stop = await ask(client, "feed.stop", { feedId: stopped })
      // More than the runs that had begun at the stop, which a service that ends too much may still send.
      const before = others.map((feedId) => resultsOf(client, feedId).length)
      const after = await Promise.all(
        others.map(async (feedId, index) => (await awaitResults(client, feedId, (before[index] ?? 0) + 3)).length)
      )
      const stops = await Promise.all(others.map((feedId) => ask(client, "feed.stop", { feedId })))
      const again = await ask(client, "feed.stop", { feedId: others[0] })
      return [
        same("the stop", stop?.json["result"], { feedId: stopped }),
        ...modes.map((mode, index) =>
          holds(`${mode}: three more results after the stop of another feed`, (after[index] ?? 0) >= (before[index] ?? 0) + 3, [
            before[index],
            after[index]
          ])
        ),
        same(
          "their own stops",
          stops.map((reply) => reply?.json["result"]),
          others.map((feedId) => ({ feedId }))
        ),
        ...isErrorReply("a second stop", again, String(again?.json["id"]), 32001, "FeedNotFound")
      ]
    })
)

/** What a feed is started with, and what one feed is to another. */
export const feedConfigurationAudits: ReadonlyArray<Audit<WsTarget>> = [keepsFeedsApart, showsAsAsked, areInTheHistory, endsThatFeedAlone]
