/** The page of errors: each `_tag` with its status and code, cause, cure and an example; close codes; exit codes. It works offline. */
import type { OpenAPISpec } from "@effect/platform/OpenApi"
import { closeFacts } from "./asyncApiFacts.ts"
import { commandExits, type ExitFact, runExits } from "./endingFacts.ts"
import { errorEntries, type ErrorEntry, type HttpExample } from "./errorEntries.ts"
import { code, escaped, htmlPage, section, table } from "./pageParts.ts"

const heads = ["cause", "cure"] as const

const numberOf = (value: number | undefined): string => (value === undefined ? "" : code(value))

const indexOf = (entries: ReadonlyArray<ErrorEntry>): string =>
  table(
    ["_tag", "status", "JSON-RPC code", "cause"],
    entries.map(({ cause, rpcCode, status, tag }) => [
      `<a href="#${tag}">${code(tag)}</a>`,
      numberOf(status),
      numberOf(rpcCode),
      escaped(cause)
    ])
  )

const jsonText = (value: unknown): string => escaped(JSON.stringify(value, null, 2))

const httpText = ({ body, headers, status }: HttpExample): string => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`)
  return `<pre>${escaped(`HTTP/1.1 ${status}\n${lines.join("")}`)}\n${jsonText(body)}</pre>`
}

const entryPart = ({ cause, cure, http, rpc, rpcCode, status, tag, where }: ErrorEntry): string => {
  const sent = [
    ...(status === undefined ? [] : [`status ${code(status)}`]),
    ...(rpcCode === undefined ? [] : [`JSON-RPC code ${code(rpcCode)}`])
  ]
  return (
    `<h3 id="${tag}">${code(tag)}</h3><p>${sent.join(", ")}. Met in: ${escaped(where.join(", "))}.</p>` +
    `<p><b>Cause:</b> ${escaped(cause)}.</p><p><b>Cure:</b> ${escaped(cure)}.</p>` +
    (http === undefined ? `<pre>${jsonText(rpc)}</pre>` : httpText(http))
  )
}

/** The tags that share a code of JSON-RPC. */
const codesPart = (entries: ReadonlyArray<ErrorEntry>): string => {
  const codes = [...new Set(entries.flatMap(({ rpcCode }) => rpcCode ?? []))].toSorted((one, other) => one - other)
  const tagsOf = (wanted: number): string =>
    entries.flatMap(({ rpcCode, tag }) => (rpcCode === wanted ? [`<a href="#${tag}">${code(tag)}</a>`] : [])).join(", ")
  const example = entries.find(({ http, rpc }) => http !== undefined && rpc !== undefined)
  return section(
    "codes",
    "JSON-RPC codes",
    `<p>Over WebSocket the same error stands in <code>error</code>, with <code>code</code> in place of the status and without <code>requestId</code>:</p>` +
      `<pre>${jsonText(example?.rpc)}</pre>${table(
        ["code", "_tag"],
        codes.map((wanted) => [code(wanted), tagsOf(wanted)])
      )}`
  )
}

const exitsTable = (exits: ReadonlyArray<ExitFact>): string =>
  table(
    ["exit code", ...heads],
    exits.map(({ cause, code: exit, cure }) => [code(exit), escaped(cause), escaped(cure)])
  )

const links = `<a href="#errors">Errors</a><a href="#examples">One by one</a><a href="#codes">JSON-RPC codes</a><a href="#closing">Close codes</a>
<a href="#exits">Exit codes of a run</a><a href="#command">of the command</a><a href="../docs">REST</a><a href="websocket">WebSocket</a>`

/** The whole page. `spec` is the OpenAPI document. */
export const errorsPage = (spec: OpenAPISpec): string => {
  const entries = errorEntries(spec)
  const parts = [
    section(
      "errors",
      "Errors",
      `<p>The body of an error is <code>{ _tag, error, message, requestId }</code>, where <code>error</code> and <code>message</code> are the same
text, and <code>details</code> where it helps. Decide by <code>_tag</code>; texts may change.</p>${indexOf(entries)}`
    ),
    section("examples", "One by one", entries.map(entryPart).join("")),
    codesPart(entries),
    section(
      "closing",
      "Close codes",
      `<p>With these the service closes a WebSocket; the close frame has the reason in words.</p>${table(
        ["code", ...heads],
        closeFacts.map(({ code: closed, cure, when }) => [code(closed), escaped(when), escaped(cure)])
      )}`
    ),
    section(
      "exits",
      "Exit codes of a run",
      `<p><code>dataResult.exitCode</code> is signed with the result. A code that is not 0 is status 599, or
<a href="#FailedExecutionResponse"><code>FailedExecutionResponse</code></a>; what ran is charged.</p>${exitsTable(runExits)}`
    ),
    section("command", "Exit codes of the command", `<p>Of <code>sibyl</code>, for scripts.</p>${exitsTable(commandExits)}`)
  ]
  return htmlPage("Errors", {
    lead: "What the service answers when it does not answer a result: why, and what to do about it.",
    links,
    body: parts.join("\n")
  })
}
