/** The WebSocket documentation as a static page that works offline, made from the same messages and facts as the AsyncAPI document. */
import { apiVersion } from "../../contract/api.ts"
import { webSocketPath } from "../../contract/rpc.ts"
import type { Limits } from "../../domain/settings/limits.ts"
import { type JsonObject, jsonSchemas } from "./asyncApi.ts"
import { closeFacts, errorFacts, limitFacts, modeMeanings, parameterMeanings, upgradeFacts } from "./asyncApiFacts.ts"
import { type MethodKind, methodKinds, notificationKinds } from "./asyncApiMessages.ts"
import { exampleSession } from "./asyncApiSession.ts"
import { code, escaped, htmlPage, section, table } from "./pageParts.ts"

const memberOf = (schema: unknown, name: string): unknown =>
  typeof schema === "object" && schema !== null ? (schema as JsonObject)[name] : undefined

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** A JSON Schema's type in a few words. */
const typeText = (schema: unknown): string => {
  const reference = memberOf(schema, "$ref")
  if (typeof reference === "string") return reference.slice(reference.lastIndexOf("/") + 1)
  const alternatives = listOf(memberOf(schema, "anyOf"))
  if (alternatives.length > 0) return alternatives.map(typeText).join(" or ")
  const type = memberOf(schema, "type")
  if (Array.isArray(type)) return type.join(" or ")
  return typeof type === "string" ? type : "any"
}

/** What a value must be: the description in its schema, else its allowed values. */
const ruleText = (schema: unknown): string => {
  const words = memberOf(schema, "description")
  const choices = listOf(memberOf(schema, "enum")).join(", ")
  if (typeof words !== "string") return escaped(choices)
  return escaped(choices === "" || words.includes(choices) || memberOf(schema, "type") !== "string" ? words : `${words}: ${choices}`)
}

/** The members of an object's schema, one per row; `needed` is the word for required members. */
const membersTable = (
  schema: unknown,
  needed: string,
  heads: ReadonlyArray<string>,
  cells: (name: string, member: unknown) => ReadonlyArray<string>
): string => {
  const required = listOf(memberOf(schema, "required"))
  const mark = (name: string): string => (required.includes(name) ? `<span class="needed">${needed}</span>` : "")
  const rows = Object.entries(memberOf(schema, "properties") ?? {}).map(([name, member]) => [
    code(name) + mark(name),
    typeText(member),
    ...cells(name, member)
  ])
  return table(heads, rows)
}

const paramsTable = (schema: unknown): string =>
  membersTable(schema, "required", ["parameter", "type", "meaning", "rule"], (name, member) => [
    escaped(parameterMeanings[name] ?? ""),
    ruleText(member)
  ])

/** The schema of a message's params, inline or by reference. */
const paramsOf = (schemas: JsonObject, messageName: string): unknown => {
  const params = memberOf(memberOf(schemas[messageName], "properties"), "params")
  const reference = memberOf(params, "$ref")
  return typeof reference === "string" ? schemas[reference.slice(reference.lastIndexOf("/") + 1)] : params
}

const methodPart = (schemas: JsonObject, { method, reply, request }: MethodKind): string =>
  `<h3>${code(method)}</h3><p>${escaped(request.summary)}</p>${paramsTable(paramsOf(schemas, request.name))}` +
  `<p>Answer: ${escaped(reply.summary)}</p>`

const methodsPart = (limits: Limits): string => {
  const kinds = methodKinds(limits)
  const schemas = jsonSchemas(kinds.map(({ request }) => request.schema))
  const envelope = `<p>A request has <code>jsonrpc</code> (always <code>"2.0"</code>), <code>id</code> (a string of yours, given back in the
answer), <code>method</code> and <code>params</code>. The answer has the same <code>id</code> and either <code>result</code> or
<code>error</code>. Parameters that are not listed are ignored; <code>null</code> counts as left out.</p>`
  return section("methods", "What you send", envelope + kinds.map((kind) => methodPart(schemas, kind)).join(""))
}

const notificationsPart = (): string => {
  const schemas = jsonSchemas(notificationKinds.map(({ schema }) => schema))
  const parts = notificationKinds.map(({ name, summary, title }) => {
    const members = membersTable(paramsOf(schemas, name), "always", ["member", "type", ""], (_name, member) => [ruleText(member)])
    return `<h3>${code(title)}</h3><p>${escaped(summary)}</p>${members}`
  })
  const where = `<p>Notifications have <code>jsonrpc</code>, <code>method</code> and <code>params</code>, and no <code>id</code>. The fields of
<code>ExecuteResponse</code> are those of <a href="../docs"><code>GET /execute</code></a>; <code>RpcError</code> is described
<a href="#errors">below</a>.</p>`
  return section("notifications", "What you are sent", where + parts.join(""))
}

const sessionPart = (): string =>
  section(
    "session",
    "A session",
    exampleSession
      .map(
        ({ from, note, payload }) =>
          `<div class="step ${from}"><p><span class="who">${from === "client" ? "you" : "service"}</span> · ${escaped(note)}</p>` +
          `<pre>${escaped(JSON.stringify(payload, null, 2))}</pre></div>`
      )
      .join("")
  )

const connectPart = (): string =>
  section(
    "connect",
    "Connect",
    `<p>Open a WebSocket to ${code(webSocketPath)} of this service (where this page is <code>/docs/websocket</code>) and send
<code>Authorization: Bearer &lt;API_KEY&gt;</code> with the upgrade request. Every message is one JSON object in one text frame. The service
pings; most clients answer by themselves. A refused upgrade is an HTTP answer:</p>` +
      table(
        ["status", "when"],
        upgradeFacts.map(({ code: status, when }) => [code(status), escaped(when)])
      )
  )

const errorsPart = (): string =>
  section(
    "errors",
    "Errors",
    `<p>An error is <code>{ _tag, code, error, message }</code>, where <code>error</code> and <code>message</code> are the same text, and
<code>details</code> where it helps. It answers a request, or stands in a <code>feed.result</code> whose run failed; it never ends a feed.
What to do about each is on the <a href="errors">page of errors</a>.</p>` +
      table(
        ["code", "_tag", "when"],
        errorFacts.map(({ code: rpcCode, tag, when }) => [code(rpcCode), code(tag), escaped(when)])
      )
  )

const modesPart = (): string =>
  section(
    "modes",
    "Modes",
    table(
      ["mode", "schedule"],
      Object.entries(modeMeanings).map(([mode, words]) => [code(mode), escaped(words)])
    )
  )

const closingPart = (): string =>
  section(
    "closing",
    "Closing",
    `<p>A connection that ends takes its feeds with it; start them again after you reconnect. Runs that had begun are
finished and charged. The service closes with:</p>${table(
      ["code", "when"],
      closeFacts.map(({ code: closed, when }) => [code(closed), escaped(when)])
    )}`
  )

const limitsPart = (limits: Limits): string =>
  section(
    "limits",
    "Limits",
    `<p>A project may have limits of its own.</p>${table(
      ["what", "limit"],
      limitFacts(limits).map(({ value, what }) => [escaped(what), escaped(value)])
    )}`
  )

const links = `<a href="#connect">Connect</a><a href="#session">A session</a><a href="#methods">What you send</a>
<a href="#notifications">What you are sent</a><a href="#modes">Modes</a><a href="#errors">Errors</a><a href="#closing">Closing</a>
<a href="#limits">Limits</a><a href="asyncapi.json">asyncapi.json</a><a href="errors">Causes and cures</a><a href="../docs">REST</a>`

/** The whole page. */
export const asyncApiPage = (limits: Limits): string =>
  htmlPage("WebSocket interface", {
    lead: `Feeds: run an Oracle Program periodically and have every signed result pushed to you. JSON-RPC 2.0, version ${apiVersion}.`,
    links,
    body: [
      connectPart(),
      sessionPart(),
      methodsPart(limits),
      notificationsPart(),
      modesPart(),
      errorsPart(),
      closingPart(),
      limitsPart(limits)
    ].join("\n")
  })
