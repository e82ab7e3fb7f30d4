/** Audits of the AsyncAPI document: it is served, its messages are those that are sent, and its examples are understood (D20). */
import { type Audit, audit } from "../audit.ts"
import { type Check, holds, keysAre, matches, same } from "../check.ts"
import { skippedWithout } from "../feature.ts"
import { at, send } from "../rest/call.ts"
import type { Target } from "../rest/target.ts"
import { jsonType } from "../rest/wireForms.ts"
import { follow, withDurableFeed } from "../ws/followAudits.ts"
import { ask, awaitResults, freshId, startFeed } from "../ws/requests.ts"
import { withClient, type WsTarget } from "../ws/wsTarget.ts"
import { schemaJudgeOf } from "./schemaJudge.ts"

const requests = ["feed.execute", "feed.start", "feed.stop"] as const
const notifications = ["authorized", "feed.result"] as const

const documentOf = async (target: Target): Promise<unknown> => (await send(target, { path: "/docs/asyncapi.json", key: null })).json

/** A place of the document: the names on the way to it. */
type Place = ReadonlyArray<string>

/** Where the references at a place lead. */
const resolvedPlace = (document: unknown, place: Place): Place => {
  const reference = at(document, ...place, "$ref")
  if (typeof reference !== "string" || !reference.startsWith("#/")) return place
  const names = reference.slice(2).split("/")
  return resolvedPlace(
    document,
    names.map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"))
  )
}

/** Where the messages are that an operation lists; with `reply`, those that answer it. */
const messagesOf = (document: unknown, operation: string, ...path: Place): ReadonlyArray<Place> => {
  const list = ["operations", operation, ...path, "messages"]
  const listed = at(document, ...list)
  return Array.isArray(listed) ? listed.map((_, index) => resolvedPlace(document, [...list, String(index)])) : []
}

const servesTheDocument = audit<Target>(
  "REST-DOCS-009",
  "MUST",
  "D20",
  "GET /docs/asyncapi.json needs no key and describes the WebSocket interface: its address, its methods with replies, its notifications",
  async (target) => {
    const { header, json, status } = await send(target, { path: "/docs/asyncapi.json", key: null })
    const channels = Object.values(Object(at(json, "channels")))
    return [
      same("status", status, 200),
      matches("content type", header("content-type"), jsonType),
      matches("asyncapi", at(json, "asyncapi"), /^3\.\d+\.\d+$/),
      matches("version", at(json, "info", "version"), /\S/),
      holds(
        "the address",
        channels.some((channel) => String(at(channel, "address")).endsWith("/ws/v1")),
        channels.length
      ),
      ...requests.flatMap((method) => [
        holds(`${method}: its request`, messagesOf(json, method).length > 0),
        holds(`${method}: its reply and its error`, messagesOf(json, method, "reply").length >= 2)
      ]),
      ...notifications.map((name) => holds(`${name}: its message`, messagesOf(json, name).length > 0))
    ]
  }
)

/** Judges values: each has to be valid for one of the messages that an operation of the document lists. */
const messageJudgeOf = (document: unknown) => {
  const judge = schemaJudgeOf(document, "draft-07")
  return (what: string, messages: ReadonlyArray<Place>, value: unknown): Check => {
    const judged = messages.map((message) => judge(what, [...message, "payload"], value))
    return judged.find(({ ok }) => ok) ?? judged[0] ?? holds(`${what}: a message is documented`, false)
  }
}

/** The notifications among messages. */
const notificationsOf = (messages: ReadonlyArray<{ readonly json: Readonly<Record<string, unknown>> }>) =>
  messages.filter(({ json }) => typeof json["method"] === "string").map(({ json }) => json)

const answersInTheDocument = audit<WsTarget>(
  "WS-DOCS-001",
  "MUST",
  "D20/D46",
  "every message of a session is valid by the AsyncAPI document: authorized, replies of each method, errors, results and failures of feeds",
  (target) =>
    withClient(target, async (client) => {
      const document = await documentOf(target)
      const isOneOf = messageJudgeOf(document)
      const { echo, failing } = target.programs
      const more = { includeDebugInfo: true, includeSummary: true }
      const feed = (execProgramId: string) => ({ execute: { execProgramId, ...more }, mode: "SEQUENTIAL" as const, periodicityMs: 20 })
      const replies: ReadonlyArray<readonly [method: (typeof requests)[number], reply: unknown]> = [
        ["feed.execute", (await ask(client, "feed.execute", { execProgramId: echo, ...more }))?.json],
        ["feed.execute", (await ask(client, "feed.execute", { execProgramId: echo, dryRun: true }))?.json],
        ["feed.execute", (await ask(client, "feed.execute", { execProgramId: failing, ...more }))?.json],
        ["feed.execute", (await ask(client, "feed.execute", { execProgramId: "0".repeat(64) }))?.json],
        ["feed.start", (await ask(client, "feed.start", { mode: "OFTEN" }))?.json],
        ["feed.start", (await ask(client, "feed.start", { ...feed(echo), periodicityMs: 86_400_000 }))?.json],
        ["feed.stop", (await ask(client, "feed.stop", { feedId: freshId() }))?.json]
      ]
      for (const program of [echo, failing]) {
        const feedId = await startFeed(client, feed(program))
        await awaitResults(client, feedId, 2)
        await ask(client, "feed.stop", { feedId })
      }
      const notified = notificationsOf(client.messages)
      return [
        ...replies.map(([method, reply], index) => isOneOf(`${method}, reply ${index}`, messagesOf(document, method, "reply"), reply)),
        ...notified.map((json) => isOneOf(String(json["method"]), messagesOf(document, String(json["method"])), json)),
        holds("results and failures were sent", notified.length >= 5, notified.length)
      ]
    })
)

const followsInTheDocument = audit<WsTarget>(
  "WS-DOCS-003",
  "MUST",
  "D20/D51",
  "every message of a followed feed is valid by the AsyncAPI document: the reply, results with their place, what is not sent, the end",
  (target) =>
    withDurableFeed(target, (feedId) =>
      withClient(target, async (client) => {
        const document = await documentOf(target)
        const isOneOf = messageJudgeOf(document)
        // A place of an older schedule, of which nothing is kept: the service may tell that as a gap.
        const replies = [await follow(client, feedId, { epoch: 1, seq: 0 }), await follow(client, freshId())]
        await awaitResults(client, feedId, 2)
        await send(target, { method: "DELETE", path: `/feeds/${feedId}` })
        const notified = () => notificationsOf(client.messages)
        const ended = await client.until(() => notified().find(({ method }) => method === "feed.ended"), target.settlingMs)
        return [
          ...replies.map((reply) => isOneOf("feed.follow, a reply", messagesOf(document, "feed.follow", "reply"), reply?.json)),
          ...notified().map((json) => isOneOf(String(json["method"]), messagesOf(document, String(json["method"])), json)),
          holds("results were sent, and the end", ended !== undefined && notified().length >= 4, notified().length)
        ]
      })
    )
)

/** The codes that say that a request is not understood. */
const notUnderstood = new Set<unknown>([32700, 32600, 32601, 32602])

const understandsItsExamples = audit<WsTarget>(
  "WS-DOCS-002",
  "MUST",
  "D20",
  "each request that the AsyncAPI document gives as an example is valid by it and understood; feed.start and feed.stop have one",
  (target) =>
    withClient(target, async (client) => {
      const document = await documentOf(target)
      const judge = schemaJudgeOf(document, "draft-07")
      const checks: Array<Check> = []
      const seen = new Set<string>()
      for (const method of Object.keys(Object(at(document, "operations")))) {
        for (const message of messagesOf(document, method)) {
          const listed = at(document, ...message, "examples")
          const isRequest = messagesOf(document, method, "reply").length > 0
          for (const example of isRequest && Array.isArray(listed) ? listed : []) {
            const payload = at(example, "payload")
            const id = freshId()
            client.sendText(JSON.stringify({ ...Object(payload), id }))
            const reply = await client.reply(id)
            seen.add(method)
            checks.push(
              judge(`${method}: the example`, [...message, "payload"], payload),
              keysAre(`${method}: a reply`, reply?.json, ["jsonrpc", "id", reply?.json["error"] === undefined ? "result" : "error"]),
              holds(`${method}: it is understood`, !notUnderstood.has(at(reply?.json, "error", "code")), reply?.text)
            )
          }
        }
      }
      return [
        ...checks,
        same(
          "methods without an example",
          ["feed.start", "feed.stop"].filter((method) => !seen.has(method)),
          []
        )
      ]
    })
)

/** The document itself. */
export const asyncApiAudits: ReadonlyArray<Audit<Target>> = [servesTheDocument]

/** Its messages. */
export const asyncApiMessageAudits: ReadonlyArray<Audit<WsTarget>> = [
  answersInTheDocument,
  understandsItsExamples,
  ...skippedWithout("hasDurableFeeds", "the service has no durable feeds", [followsInTheDocument])
]
