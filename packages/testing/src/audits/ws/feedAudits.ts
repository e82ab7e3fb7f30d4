/** Audits of feeds: their replies, results, limits and end (D17, D35, D39 to D41). */
import { type Audit, audit } from "../audit.ts"
import { type Check, holds, keysAre, same } from "../check.ts"
import { at, send } from "../rest/call.ts"
import { isVerifiable } from "../rest/verification.ts"
import { dataKeys } from "../rest/wireForms.ts"
import {
  ask,
  awaitResults,
  freshId,
  isErrorReply,
  pause,
  requestText,
  resultsOf,
  settledCredits,
  startFeed,
  type StartParams
} from "./requests.ts"
import type { Message } from "../../wire/wireClient.ts"
import { openClient, withClient, type WsTarget } from "./wsTarget.ts"

const feedOf = (target: WsTarget, params: Partial<StartParams> = {}): StartParams => ({
  execute: { execProgramId: target.programs.echo, execInputs: "feed" },
  periodicityMs: 50,
  mode: "FIXED",
  ...params
})

const dayMs = 86_400_000
const idOf = (reply: Message | undefined): string => String(reply?.json["id"])

const startsAtOnce = audit<WsTarget>(
  "WS-FEED-001",
  "MUST",
  "interface.md#websocket-interface/D35",
  "feed.start returns {feedId}, then run 0 starts at once, however long the period",
  (target) =>
    withClient(target, async (client) => {
      const reply = await ask(client, "feed.start", feedOf(target, { periodicityMs: dayMs }))
      const feedId = String(at(reply?.json, "result", "feedId"))
      const [first] = await awaitResults(client, feedId, 1)
      return [
        keysAre("members", reply?.json, ["jsonrpc", "id", "result"]),
        keysAre("result", reply?.json["result"], ["feedId"]),
        same("seq of the first run", first?.seq, 0),
        // A busy server begins it a few ms after its time.
        holds("its start is not before its time", Number(first?.startedAt) >= Number(first?.scheduledAt), [
          first?.startedAt,
          first?.scheduledAt
        ]),
        same(
          "the reply comes before it",
          client.messages.map(({ json }) => json["id"] ?? json["method"]),
          ["authorized", reply?.json["id"], "feed.result"]
        )
      ]
    })
)

const givesRecords = audit<WsTarget>(
  "WS-FEED-002",
  "MUST",
  "interface.md#events/D39",
  "feed.result is a notification with the feed's id, seq, times and the execute response, signed as any other",
  (target) =>
    withClient(target, async (client) => {
      const before = Date.now() - 60_000
      const feedId = await startFeed(client, feedOf(target))
      const results = await awaitResults(client, feedId, 3)
      const message = client.messages.find(({ json }) => json["method"] === "feed.result")
      const ids = new Set(results.map(({ result }) => at(result, "data", "id")))
      const { json: info } = await send(target, { path: "/info", key: null })
      return [
        keysAre("members", message?.json, ["jsonrpc", "method", "params"]),
        same("jsonrpc", message?.json["jsonrpc"], "2.0"),
        holds(
          "drId and signature verify",
          // A busy service may refuse a run, which is an error then.
          results.every(({ result }) => result === undefined || isVerifiable(at(result, "data"), at(info, "publicKey"))),
          results[0]?.result
        ),
        keysAre("params", message?.json["params"], ["feedId", "seq", "scheduledAt", "startedAt", "result"]),
        keysAre("data", at(results[0]?.result, "data"), dataKeys),
        same("result", at(results[0]?.result, "data", "result"), "0x66656564"),
        same("each run has its own id", ids.size, results.length),
        holds(
          "times are milliseconds since the Unix epoch",
          results.every(({ startedAt }) => startedAt > before && startedAt < before + dayMs)
        )
      ]
    })
)

const goesOnAfterFailures = audit<WsTarget>(
  "WS-FEED-003",
  "MUST",
  "interface.md#events/D16/D40",
  "a run that fails gives params.error as feed.execute would, and the feed continues",
  (target) =>
    withClient(target, async (client) => {
      const execute = { execProgramId: target.programs.failing, includeDebugInfo: "true" }
      const feedId = await startFeed(client, feedOf(target, { execute }))
      const results = await awaitResults(client, feedId, 3)
      const [first] = results
      const text = at(first?.error, "error")
      const { json: info } = await send(target, { path: "/info", key: null })
      return [
        same(
          "seq",
          results.slice(0, 3).map(({ seq }) => seq),
          [0, 1, 2]
        ),
        keysAre("params", first, ["feedId", "seq", "scheduledAt", "startedAt", "error"]),
        keysAre("error", first?.error, ["_tag", "code", "error", "message", "data"]),
        same("_tag and code", [at(first?.error, "_tag"), at(first?.error, "code")], ["FailedExecutionResponse", 36001]),
        holds("one text under both names", typeof text === "string" && text !== "" && text === at(first?.error, "message"), text),
        holds("drId and signature verify", isVerifiable(at(first?.error, "data"), at(info, "publicKey")), first?.error),
        same("exit code", at(first?.error, "data", "dataResult", "exitCode"), 3),
        same("stderr", at(first?.error, "data", "execute", "stderr"), "boom")
      ]
    })
)

const goesOnWithoutCredits = audit<WsTarget>(
  "WS-FEED-004",
  "MUST",
  "D40",
  "a run without credits is a feed.result with an error, and the feed continues",
  async (target) => {
    if (target.keyWithoutCredits === undefined) return { skip: "needs a key of a project without credits" }
    return withClient(
      target,
      async (client) => {
        const feedId = await startFeed(client, feedOf(target))
        const results = await awaitResults(client, feedId, 3)
        const [first] = results
        return [
          same(
            "seq",
            results.slice(0, 3).map(({ seq }) => seq),
            [0, 1, 2]
          ),
          same("_tag and code", [at(first?.error, "_tag"), at(first?.error, "code")], ["InsufficientCredits", 36003])
        ]
      },
      { key: target.keyWithoutCredits }
    )
  }
)

const stopsForGood = audit<WsTarget>(
  "WS-FEED-005",
  "MUST",
  "interface.md#feed-lifecycle/D39",
  "feed.stop returns {feedId}; nothing of the feed is sent after it, whatever is in flight; a second stop is not found",
  (target) =>
    withClient(target, async (client) => {
      const checks: Array<Check> = []
      for (const mode of ["FIXED", "SEQUENTIAL", "PARALLEL"] as const) {
        const feedId = await startFeed(client, feedOf(target, { mode, periodicityMs: 10 }))
        await awaitResults(client, feedId, 5)
        const reply = await ask(client, "feed.stop", { feedId })
        const stoppedAt = client.messages.findIndex(({ json }) => json["id"] === reply?.json["id"])
        await pause(300)
        const late = client.messages.slice(stoppedAt).filter(({ json }) => at(json, "params", "feedId") === feedId)
        const again = await ask(client, "feed.stop", { feedId })
        checks.push(
          same(`${mode}: reply`, reply?.json["result"], { feedId }),
          same(`${mode}: results after the reply`, late.length, 0),
          ...isErrorReply(`${mode}: a second stop`, again, idOf(again), 32001, "FeedNotFound")
        )
      }
      return checks
    })
)

const belongsToItsConnection = audit<WsTarget>(
  "WS-FEED-006",
  "MUST",
  "interface.md#feed-lifecycle/D17",
  "a feed of another connection is not found, sends it nothing, and continues",
  async (target) => {
    const [owner, other] = [await openClient(target), await openClient(target)]
    const feedId = await startFeed(owner, feedOf(target))
    const stop = await ask(other, "feed.stop", { feedId })
    const before = resultsOf(owner, feedId).length
    const after = (await awaitResults(owner, feedId, before + 3)).length
    const seen = resultsOf(other, feedId).length
    for (const client of [owner, other]) client.reset()
    return [
      ...isErrorReply("stop from another connection", stop, idOf(stop), 32001, "FeedNotFound"),
      holds("it goes on", after >= before + 3, [before, after]),
      same("results on the other connection", seen, 0)
    ]
  }
)

const perConnection = 50

const limitsFeeds = audit<WsTarget>(
  "WS-FEED-007",
  "MUST",
  "D17/D41",
  `a connection runs at most ${perConnection} feeds, also if they are started at once; one more is 36030; each has its own id; a stop makes room`,
  (target) =>
    withClient(target, async (client) => {
      const ids = Array.from({ length: perConnection + 5 }, freshId)
      for (const id of ids) client.sendText(requestText(id, "feed.start", feedOf(target, { periodicityMs: dayMs })))
      const replies = await Promise.all(ids.map((id) => client.reply(id)))
      const feeds = replies.map((reply) => at(reply?.json, "result", "feedId")).filter((feedId) => typeof feedId === "string")
      const refused = replies.filter((reply) => reply !== undefined && "error" in reply.json)
      await ask(client, "feed.stop", { feedId: feeds[0] })
      const again = await ask(client, "feed.start", feedOf(target, { periodicityMs: dayMs }))
      return [
        same("feeds", feeds.length, perConnection),
        same("ids", new Set(feeds).size, perConnection),
        same("refused", refused.length, 5),
        ...isErrorReply("one too many", refused[0], idOf(refused[0]), 36030, "FeedLimit"),
        holds("after a stop", typeof at(again?.json, "result", "feedId") === "string", again?.text)
      ]
    })
)

const checksAtStart = audit<WsTarget>(
  "WS-FEED-008",
  "MUST",
  "D18",
  "an unknown or disallowed program fails at feed.start, and starts nothing",
  async (target) => {
    const { restrictedKey } = target
    if (restrictedKey === undefined) return { skip: "needs a key with an allow-list" }
    return withClient(
      target,
      async (client) => {
        const disallowed = await ask(client, "feed.start", feedOf(target, { execute: { execProgramId: target.programs.failing } }))
        const tally = { execProgramId: target.programs.echo, tallyProgramId: target.programs.failing }
        const disallowedTally = await ask(client, "feed.start", feedOf(target, { execute: tally }))
        await pause(200)
        const unknown = await withClient(target, (own) =>
          ask(own, "feed.start", feedOf(target, { execute: { execProgramId: "1".repeat(64) } }))
        )
        return [
          ...isErrorReply("disallowed", disallowed, idOf(disallowed), 32602, "ProgramNotAllowed"),
          ...isErrorReply("disallowed tally", disallowedTally, idOf(disallowedTally), 32602, "ProgramNotAllowed"),
          ...isErrorReply("unknown", unknown, idOf(unknown), 36004, "ProgramNotFound"),
          same("messages", client.messages.length, 3)
        ]
      },
      { key: restrictedKey }
    )
  }
)

const endsWithItsConnection = audit<WsTarget>(
  "WS-FEED-009",
  "MUST",
  "interface.md#feed-lifecycle/D32",
  "feeds end with their connection, however it ends: no further run is charged",
  async (target) => {
    if (target.operator === undefined) return { skip: "a project of its own needs an operator" }
    const checks: Array<Check> = []
    for (const end of ["bye", "reset"] as const) {
      const key = await target.operator.freshKey()
      const client = await openClient(target, { key })
      const modes = ["FIXED", "SEQUENTIAL", "PARALLEL"] as const
      const feeds = await Promise.all(modes.map((mode) => startFeed(client, feedOf(target, { mode }))))
      const results = await Promise.all(feeds.map((feedId) => awaitResults(client, feedId, 3)))
      await client[end]()
      // Runs in flight are finished and charged; after that nothing changes.
      const settled = await settledCredits(target, key)
      checks.push(
        holds(
          `${end}: all three ran`,
          results.every(({ length }) => length >= 3),
          results.map(({ length }) => length)
        ),
        holds(`${end}: runs were charged, and then no more`, settled !== undefined && settled !== "0", settled)
      )
    }
    return checks
  }
)

/** Feeds. */
export const feedAudits: ReadonlyArray<Audit<WsTarget>> = [
  startsAtOnce,
  givesRecords,
  goesOnAfterFailures,
  goesOnWithoutCredits,
  stopsForGood,
  belongsToItsConnection,
  limitsFeeds,
  checksAtStart,
  endsWithItsConnection
]
