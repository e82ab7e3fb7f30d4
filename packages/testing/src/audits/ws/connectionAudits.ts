/** Audits of a connection's beginning and end: authentication, the first message, closing (D18, D41). */
import { type Audit, audit } from "../audit.ts"
import { type Check, holds, keysAre, matches, same } from "../check.ts"
import { at, send } from "../rest/call.ts"
import { uuid, verifyKeys } from "../rest/wireForms.ts"
import { ask, freshId, isErrorReply, pause, requestText } from "./requests.ts"
import type { Dialled } from "../../wire/wireClient.ts"
import { dialTarget, openClient, withClient, type WsTarget, webSocketUrl } from "./wsTarget.ts"

const authorizesFirst = audit<WsTarget>(
  "WS-CONN-001",
  "MUST",
  "interface.md#events/D18",
  "authorized is the first message and comes once; its params are those of GET /verify",
  (target) =>
    withClient(target, async (client) => {
      const { json: verified } = await send(target, { path: "/verify" })
      await ask(client, "feed.execute", { execProgramId: target.programs.echo })
      await pause(200)
      const [first] = client.messages
      const params = first?.json["params"]
      const stable = verifyKeys.filter((name) => !name.endsWith("Snapshot"))
      return [
        keysAre("members", first?.json, ["jsonrpc", "method", "params"]),
        same("jsonrpc and method", [first?.json["jsonrpc"], first?.json["method"]], ["2.0", "authorized"]),
        same("members of params", Object.keys(Object(params)).toSorted(), verifyKeys.toSorted()),
        same(
          "as GET /verify has them",
          stable.map((name) => at(params, name)),
          stable.map((name) => at(verified, name))
        ),
        matches("remaining credits", at(params, "remainingCreditsSnapshot"), /^[0-9]+$/),
        matches("used credits", at(params, "usedCreditsSnapshot"), /^[0-9]+$/),
        same("how often", client.messages.filter(({ json }) => json["method"] === "authorized").length, 1)
      ]
    })
)

/** The status of a refused upgrade; 101 if it was accepted. */
const statusOf = (dialled: Dialled): number | undefined => {
  if (dialled.client === undefined) return dialled.answer?.status
  dialled.client.reset()
  return 101
}

const isRefused = (what: string, dialled: Dialled, status: number, tag: string): ReadonlyArray<Check> => {
  const answer = dialled.client === undefined ? dialled.answer : undefined
  const body: unknown = answer?.body.startsWith("{") === true ? JSON.parse(answer.body) : undefined
  return [
    same(`${what}: status`, statusOf(dialled), status),
    same(`${what}: _tag`, at(body, "_tag"), tag),
    matches(`${what}: requestId`, at(body, "requestId"), uuid),
    same(`${what}: x-request-id`, answer?.headers["x-request-id"], at(body, "requestId"))
  ]
}

const refusesInvalidKeys = audit<WsTarget>(
  "WS-CONN-002",
  "MUST",
  "interface.md#authentication/D18",
  "no key, another scheme, an unknown or revoked key: 401 before any frame",
  async (target) => {
    const headers: ReadonlyArray<readonly [string, string]> = [
      ["no header", ""],
      ["another scheme", `Basic ${target.apiKey}`],
      ["a bare key", target.apiKey],
      ["no key", "Bearer "],
      ["an unknown key", `Bearer ${target.apiKey.slice(0, -1)}`],
      ...(target.revokedKey === undefined ? [] : [["a revoked key", `Bearer ${target.revokedKey}`] as const])
    ]
    const checks: Array<Check> = []
    for (const [what, authorization] of headers) {
      const dialled = await dialTarget(target, { key: null, headers: { authorization } })
      checks.push(...isRefused(what, dialled, 401, "Unauthorized"))
      const challenge = dialled.client === undefined ? dialled.answer?.headers["www-authenticate"] : undefined
      checks.push(same(`${what}: www-authenticate`, challenge, "Bearer"))
    }
    return checks
  }
)

const asksToUpgrade = audit<WsTarget>("WS-CONN-003", "MUST", "D18", "a plain GET of the WebSocket path is 426", async (target) => {
  const answer = await send(target, { path: "/ws/v1" })
  return [same("status", answer.status, 426), same("_tag", at(answer.json, "_tag"), "UpgradeRequired")]
})

const perKey = 20

const limitsConnections = audit<WsTarget>(
  "WS-CONN-004",
  "MUST",
  "D18/D41",
  `a key has at most ${perKey} connections; one more is 429 before any frame, and another key is not affected`,
  async (target) => {
    if (target.operator === undefined) return { skip: "a fresh key needs an operator" }
    const key = await target.operator.freshKey()
    const clients = await Promise.all(Array.from({ length: perKey }, () => openClient(target, { key })))
    const tooMany = await dialTarget(target, { key })
    const neighbour = await dialTarget(target)
    await clients[0]?.bye()
    // The server may notice the end later than its client.
    let status: number | undefined
    for (let round = 0; round < 100 && status !== 101; round += 1) {
      status = statusOf(await dialTarget(target, { key }))
      if (status !== 101) await pause(50)
    }
    for (const client of clients) client.reset()
    return [
      ...isRefused("one too many", tooMany, 429, "TooManyConnections"),
      same("another key", statusOf(neighbour), 101),
      same("after one has closed", status, 101)
    ]
  }
)

const refusesInvalidHandshakes = audit<WsTarget>(
  "WS-CONN-005",
  "MUST",
  "RFC 6455, section 4.2.1/D13",
  "a handshake without a key, with an invalid key or for another version is answered with 4xx and x-request-id, and opens nothing",
  async (target) => {
    const handshakes: ReadonlyArray<readonly [string, Readonly<Record<string, string>>]> = [
      ["no key", { "sec-websocket-key": "" }],
      ["a short key", { "sec-websocket-key": "c2hvcnQ=" }],
      ["version 7", { "sec-websocket-version": "7" }],
      ["no version", { "sec-websocket-version": "" }]
    ]
    const checks: Array<Check> = []
    for (const [what, headers] of handshakes) {
      const dialled = await dialTarget(target, { headers })
      const status = statusOf(dialled)
      // Without the upgrade's own headers, a server may treat the request as a plain one.
      checks.push(holds(what, status !== undefined && status >= 400 && status < 500, status))
      const answer = dialled.client === undefined ? dialled.answer : undefined
      checks.push(matches(`${what}: x-request-id`, answer?.headers["x-request-id"], uuid))
    }
    const elsewhere = statusOf(await dialTarget(target, { url: `${webSocketUrl(target)}x` }))
    return [...checks, holds("another path opens nothing", elsewhere !== 101, elsewhere)]
  }
)

const queuesEarlyRequests = audit<WsTarget>(
  "WS-CONN-006",
  "MUST",
  "D18",
  "requests sent before authorized arrived are processed after it, in order",
  async (target) => {
    const { client } = await dialTarget(target)
    if (client === undefined) return [holds("opened", false)]
    const ids = Array.from({ length: 20 }, freshId)
    for (const id of ids) client.sendText(requestText(id, "feed.nothing", {}))
    const execution = freshId()
    client.sendText(requestText(execution, "feed.execute", { execProgramId: target.programs.echo, execInputs: "early" }))
    const reply = await client.reply(execution)
    const [first, ...rest] = client.messages
    client.reset()
    return [
      same("the first message", first?.json["method"], "authorized"),
      same(
        "the replies in order",
        rest.slice(0, ids.length).map(({ json }) => json["id"]),
        ids
      ),
      same("an early execution", at(reply?.json, "result", "data", "result"), "0x6561726c79")
    ]
  }
)

const answersGoodbyes = audit<WsTarget>(
  "WS-CONN-007",
  "MUST",
  "RFC 6455, section 5.5.1",
  "a close frame is answered with one that has the same code",
  async (target) => {
    const client = await openClient(target)
    const ending = await client.bye()
    return [same("code", ending?.code, 1000)]
  }
)

const keepsConnectionsApart = audit<WsTarget>(
  "WS-CONN-008",
  "MUST",
  "interface.md#feed-lifecycle",
  "two connections of one key get only the replies to their own requests, even with the same id",
  async (target) => {
    const [one, two] = [await openClient(target), await openClient(target)]
    const params = (execInputs: string) => ({ execProgramId: target.programs.echo, execInputs, encoding: "utf8" })
    one.sendText(requestText("same", "feed.execute", params("one")))
    two.sendText(requestText("same", "feed.execute", params("two")))
    const replies = [await one.reply("same"), await two.reply("same")]
    await pause(200)
    const counts = [one.messages.length, two.messages.length]
    const unknown = await ask(one, "feed.stop", { feedId: freshId() })
    for (const client of [one, two]) client.reset()
    return [
      same(
        "results",
        replies.map((reply) => at(reply?.json, "result", "data", "result")),
        ["one", "two"]
      ),
      same("messages", counts, [2, 2]),
      ...isErrorReply("a feed of nobody", unknown, String(unknown?.json["id"]), 32001, "FeedNotFound")
    ]
  }
)

/** Beginning and end of a connection. */
export const connectionAudits: ReadonlyArray<Audit<WsTarget>> = [
  authorizesFirst,
  refusesInvalidKeys,
  asksToUpgrade,
  limitsConnections,
  refusesInvalidHandshakes,
  queuesEarlyRequests,
  answersGoodbyes,
  keepsConnectionsApart
]
