/** Audits of credits over WebSockets: quotes, and feeds whose project has reached its usage limit (D15, D31, D40). */
import { type Audit, audit } from "../audit.ts"
import { holds, keysAre, same } from "../check.ts"
import { at, execute, send } from "../rest/call.ts"
import { ask, awaitResults, isErrorReply, ownProjectOf, pause, startFeed } from "./requests.ts"
import { withClient, type WsTarget } from "./wsTarget.ts"

const period = { periodicityMs: 50, mode: "FIXED" } as const

const quotes = audit<WsTarget>(
  "WS-CREDIT-001",
  "MUST",
  "D4/D31",
  "feed.execute with dryRun returns the same quote as REST; nothing runs and nothing is charged",
  async (shared) => {
    const target = await ownProjectOf(shared)
    return withClient(target, async (client) => {
      const used = async (): Promise<unknown> => at((await send(target, { path: "/verify" })).json, "usedCreditsSnapshot")
      const before = await used()
      const params = { execProgramId: target.programs.echo, execInputs: "a quote over a socket" }
      const reply = await ask(client, "feed.execute", { ...params, dryRun: true })
      const after = await used()
      const { json } = await execute(target, "echo", { execInputs: params.execInputs, dryRun: "true" })
      const wrong = await ask(client, "feed.execute", { ...params, dryRun: "perhaps" })
      return [
        keysAre("members", reply?.json, ["jsonrpc", "id", "result"]),
        same("the quote", at(reply?.json, "result"), json),
        holds("it has a worst case", typeof at(json, "data", "quote", "worstCase") === "string", json),
        same("used credits", after, before),
        ...isErrorReply("another word", wrong, String(wrong?.json["id"]), 32602, "InvalidParameter")
      ]
    })
  }
)

const feedsRun = audit<WsTarget>(
  "WS-CREDIT-002",
  "MUST",
  "D4/D18",
  "feed.start with execute.dryRun is 32602, naming it, and starts nothing",
  (target) =>
    withClient(target, async (client) => {
      const asked = { execProgramId: target.programs.echo, dryRun: "1" }
      const reply = await ask(client, "feed.start", { execute: asked, ...period })
      await pause(200)
      return [
        ...isErrorReply("reply", reply, String(reply?.json["id"]), 32602, "InvalidParameter"),
        same("details.parameter", at(reply?.json, "error", "details", "parameter"), "execute.dryRun"),
        same("messages: authorized and the reply", client.messages.length, 2)
      ]
    })
)

const goesOnAtTheLimit = audit<WsTarget>(
  "WS-CREDIT-003",
  "MUST",
  "D15/D40",
  "a run beyond the usage limit is a feed.result with 36029 and the missing amount, and the feed continues",
  async (target) => {
    const key = target.limitedKey
    if (key === undefined) return { skip: "needs a key with a usage limit" }
    return withClient(
      target,
      async (client) => {
        const feedId = await startFeed(client, { execute: { execProgramId: target.programs.echo }, ...period })
        const results = (await awaitResults(client, feedId, 3)).slice(0, 3)
        return [
          same(
            "seq",
            results.map(({ seq }) => seq),
            [0, 1, 2]
          ),
          ...results.flatMap(({ error, seq }) => [
            same(`${seq}: _tag and code`, [at(error, "_tag"), at(error, "code")], ["CreditLimitExceeded", 36029]),
            keysAre(`${seq}: details`, at(error, "details"), ["required", "limit", "used"])
          ])
        ]
      },
      { key }
    )
  }
)

/** Credits over WebSockets. */
export const creditAudits: ReadonlyArray<Audit<WsTarget>> = [quotes, feedsRun, goesOnAtTheLimit]
