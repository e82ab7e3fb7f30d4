/** Audits of requests and responses in adapters: they are passed on completely and unchanged. */
import { type Audit, audit, beside } from "../audits/audit.ts"
import { holds, matches, same } from "../audits/check.ts"
import { type AdapterTarget, ask } from "./adapterTarget.ts"

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const

const targets = [
  "/mirror",
  "/mirror?",
  "/mirror?a=1&a=2&b",
  "/mirror?text=a+b%20c%2Bd",
  "/mirror?json=%7B%22a%22%3A%5B1%2C2%5D%7D",
  "/mirror?euro=%E2%82%AC&slash=/&colon=:"
] as const

const carriesMethods = audit<AdapterTarget>(
  "ADAPTER-REQUEST-001",
  "MUST",
  "ARCHITECTURE.md#three-ideas",
  "every method reaches the service",
  async (target) => {
    const answers = await Promise.all(methods.map((method) => ask(target, "/mirror", { method })))
    return methods.flatMap((method, at) => [
      same(`status of ${method}`, answers[at]?.status, 200),
      same(`method seen of ${method}`, answers[at]?.headers.get("x-mirror-method"), method),
      same(`body of ${method}`, Object.keys(answers[at]?.json ?? {}).length > 0, method !== "HEAD")
    ])
  }
)

const carriesTargets = audit<AdapterTarget>(
  "ADAPTER-REQUEST-002",
  "MUST",
  "ARCHITECTURE.md#three-ideas",
  "path and query reach the service below the prefix, as sent",
  async (target) => {
    const answers = await Promise.all(targets.map((path) => ask(target, path)))
    // Clients drop a trailing question mark.
    return targets.map((path, at) => same(`target ${path}`, String(answers[at]?.json["url"]).replace(/\?$/, ""), path.replace(/\?$/, "")))
  }
)

const carriesHeaders = audit<AdapterTarget>(
  "ADAPTER-REQUEST-003",
  "MUST",
  "ARCHITECTURE.md#three-ideas",
  "headers are found by name in any letter case; an absent one is undefined",
  async (target) => {
    const headers = { Authorization: "Bearer k", "X-Mixed-Case": "value", "x-latin": "\u00e9" }
    const { json } = await ask(target, "/mirror?headers=authorization,X-MIXED-case,x-absent,x-latin", { headers })
    return [
      same("headers seen", json["headers"], {
        authorization: "Bearer k",
        "X-MIXED-case": "value",
        "x-absent": null,
        "x-latin": "\u00e9"
      })
    ]
  }
)

const statuses = [200, 400, 401, 403, 404, 405, 413, 414, 415, 429, 500, 503, 599] as const

const carriesStatuses = audit<AdapterTarget>(
  "ADAPTER-ANSWER-001",
  "MUST",
  "interface, HTTP status codes",
  "every documented status, with its headers and body",
  async (target) => {
    const answers = await Promise.all(statuses.map((status) => ask(target, `/status/${status}`)))
    return statuses.flatMap((status, at) => [
      same(`status ${status}`, answers[at]?.status, status),
      same(`header under ${status}`, answers[at]?.headers.get("x-mirror"), "service"),
      matches(`content type under ${status}`, answers[at]?.headers.get("content-type"), /^application\/json/),
      same(`body under ${status}`, answers[at]?.json, { pathname: `/status/${status}` })
    ])
  }
)

const carriesBytes = audit<AdapterTarget>(
  "ADAPTER-ANSWER-002",
  "MUST",
  "ARCHITECTURE.md#three-ideas",
  "bodies of bytes and of text arrive completely, with their length in bytes",
  async (target) => {
    const bytes = await fetch(`${target.baseUrl}/bytes`)
    const text = await fetch(`${target.baseUrl}/unicode`)
    const expected = Array.from({ length: 256 }, (_, at) => at)
    return [
      same("length of bytes", bytes.headers.get("content-length"), "256"),
      same("bytes", [...new Uint8Array(await bytes.arrayBuffer())], expected),
      same("length of text", text.headers.get("content-length"), String(Buffer.byteLength('{"text":"½ € 𝄞"}'))),
      same("text", await text.json(), { text: "½ € 𝄞" })
    ]
  }
)

const leavesForeignPaths = audit<AdapterTarget>(
  "ADAPTER-ANSWER-003",
  "MUST",
  "D13",
  "paths outside of the service are left to the server",
  async (target) => {
    const below = await ask(target, "/nothing/here")
    const beside = await fetch(`${target.baseUrl}beside/mirror`)
    return [
      same("status below the prefix", below.status, 404),
      same("answered by the service", below.headers.get("x-mirror"), null),
      same("status beside the prefix", beside.status, 404),
      same("answered by the service beside the prefix", beside.headers.get("x-mirror"), null)
    ]
  }
)

const keepsRequestsApart = audit<AdapterTarget>(
  "ADAPTER-ANSWER-004",
  "MUST",
  "ARCHITECTURE.md#three-ideas",
  "200 concurrent requests each get their own response",
  async (target) => {
    const paths = Array.from({ length: 200 }, (_, at) => `/mirror?at=${at}`)
    const answers = await Promise.all(paths.map((path) => ask(target, path)))
    const wrong = paths.filter((path, at) => answers[at]?.json["url"] !== path)
    return [holds("every response belongs to its request", wrong.length === 0, wrong)]
  }
)

const waitsForLongRuns = audit<AdapterTarget>(
  "ADAPTER-ANSWER-005",
  "MUST",
  "D29",
  "a request that takes 12 seconds is answered and not cut off",
  async (target) => {
    const { status, json } = await ask(target, "/wait?ms=12000")
    return [same("status", status, 200), same("the client had not disconnected", json["outcome"], "answered")]
  }
)

/** Requests and responses, passed on completely. */
export const requestAudits: ReadonlyArray<Audit<AdapterTarget>> = [
  carriesMethods,
  carriesTargets,
  carriesHeaders,
  carriesStatuses,
  carriesBytes,
  leavesForeignPaths,
  keepsRequestsApart,
  beside(waitsForLongRuns)
]
