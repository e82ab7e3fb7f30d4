/** Audits of the OpenAPI document as a generated client meets it: what is documented is answered, and what is answered is documented (D20). */
import { type Audit, audit } from "../audit.ts"
import { type Check, holds, oneOf, same } from "../check.ts"
import { type Answer, at, begunWith, type Call, freshInputs, send } from "../rest/call.ts"
import { endpointsOf } from "../rest/endpoints.ts"
import type { Target } from "../rest/target.ts"
import { openApiOf } from "./openApiDocument.ts"

/** A documented path, its method, and a call of it. */
type Documented = readonly [path: string, call: Call]

/** The path of an endpoint as the document writes it. */
const written = (path: string): string => path.replaceAll(/:([a-z_]+)/g, "{$1}")

/** Sends the calls of what the target has and checks that each answer is as the document says. */
const areDescribed = async (target: Target, statuses: ReadonlyArray<number>, calls: ReadonlyArray<Documented>) => {
  const document = await openApiOf(target)
  const paths = new Set(endpointsOf(target).map(({ path }) => written(path)))
  const present = calls.filter(([path]) => paths.has(path))
  const checks = present.map(async ([path, call]): Promise<ReadonlyArray<Check>> => {
    const answer = await send(target, call)
    const method = call.method ?? (call.json === undefined && call.text === undefined ? "GET" : "POST")
    const what = `${method} ${path} ${begunWith(JSON.stringify(call.query ?? call.json ?? ""))}`
    return [
      oneOf(`${what}: the status`, answer.status, statuses, begunWith(answer.text)),
      ...document.describes(what, { path, method: method.toLowerCase() }, answer)
    ]
  })
  return (await Promise.all(checks)).flat()
}

const documentsEveryEndpoint = audit<Target>(
  "REST-DOCS-003",
  "MUST",
  "D20",
  "the OpenAPI document has every endpoint of the interface by path and method, and demands a key exactly where one is needed",
  async (target) => {
    const { operations } = await openApiOf(target)
    return endpointsOf(target).flatMap(({ method, needsKey, path }) => {
      const name = `${method} ${written(path)}`
      const found = operations.find((operation) => operation.path === written(path) && operation.method === method.toLowerCase())
      const security = at(found?.description, "security")
      const demands = Array.isArray(security) && security.some((each) => Object.keys(Object(each)).length > 0)
      return [holds(`${name} is documented`, found !== undefined), same(`${name}: needs a key`, demands, needsKey)]
    })
  }
)

const describesExecutions = audit<Target>(
  "REST-DOCS-004",
  "MUST",
  "D20/D46",
  "what /execute and /execute/last-result answer is valid by the OpenAPI document: results, failures, quotes, every option",
  async (target) => {
    const { echo, failing, failingInTally, printing, trapping } = target.programs
    const more = { includeDebugInfo: "true", includeSummary: "true" } as const
    const execInputs = freshInputs()
    const execute: Documented = ["/execute", { path: "/execute", query: { execProgramId: echo, execInputs } }]
    const described = await areDescribed(
      target,
      [200, 599],
      [
        execute,
        ["/execute", { path: "/execute", json: { execProgramId: printing, ...more, encoding: "utf8" } }],
        ["/execute", { path: "/execute", json: { execProgramId: echo, execInputs: { price: [1.5, null] }, encoding: "json" } }],
        ["/execute", { path: "/execute", query: { execProgramId: echo, dryRun: "true" } }],
        ["/execute", { path: "/execute", query: { execProgramId: failing, ...more } }],
        ["/execute", { path: "/execute", json: { execProgramId: failingInTally, ...more } }],
        ["/execute", { path: "/execute", query: { execProgramId: trapping } }]
      ]
    )
    const query = { execProgramId: echo, execInputs }
    const stored = await areDescribed(
      target,
      [200],
      [
        ["/execute", { path: "/execute", query: { ...query, returnLastResult: "true", ...more } }],
        ["/execute/last-result", { path: "/execute/last-result", query }],
        ["/execute/last-result", { path: "/execute/last-result", json: { ...query, ...more } }]
      ]
    )
    // The last result of a program that failed above is its failure.
    const failed = await areDescribed(
      target,
      [599],
      [["/execute/last-result", { path: "/execute/last-result", query: { execProgramId: failing, ...more } }]]
    )
    return [...described, ...stored, ...failed]
  }
)

const describesRefusals = audit<Target>(
  "REST-DOCS-005",
  "MUST",
  "D13/D20",
  "what is refused is valid by the OpenAPI document: 400, 401, 404, 413, 415, 422, and 403 and 429 where an operator gives keys for them, on every path by its own list of errors",
  async (target) => {
    const { echo } = target.programs
    const unknown = "ab".repeat(32)
    const idempotent = { "idempotency-key": globalThis.crypto.randomUUID() }
    await send(target, { path: "/execute", json: { execProgramId: echo }, headers: idempotent })
    const text = { text: "{}", headers: { "content-type": "text/plain" } }
    const nobodys = globalThis.crypto.randomUUID()
    const recording: ReadonlyArray<Documented> =
      target.hasRecordings === true ? [["/executions/{id}/recording", { path: `/executions/${nobodys}/recording` }]] : []
    const spent = [target.keyWithoutCredits, target.limitedKey].flatMap((key): ReadonlyArray<Documented> =>
      key === undefined ? [] : [["/execute", { path: "/execute", query: { execProgramId: echo }, key }]]
    )
    return areDescribed(
      target,
      [400, 401, 403, 404, 413, 414, 415, 422, 429],
      [
        ["/execute", { path: "/execute" }],
        ["/execute", { path: "/execute", query: { execProgramId: unknown } }],
        ["/execute", { path: "/execute", query: { execProgramId: echo, execInputs: "x".repeat(17_000) } }],
        ["/execute", { path: "/execute", ...text }],
        ["/execute", { path: "/execute", json: { execProgramId: echo, ignored: "x".repeat(2_200_000) } }],
        ["/execute", { path: "/execute", json: { execProgramId: echo, execInputs: "another" }, headers: idempotent }],
        ["/execute/last-result", { path: "/execute/last-result", query: { execProgramId: echo, execInputs: freshInputs() } }],
        ["/execute/last-result", { path: "/execute/last-result", query: { execProgramId: echo, mode: "newest" } }],
        ["/data-request-reports", { path: "/data-request-reports", query: { drId: "12" } }],
        ["/data-proxy/{public_key}", { path: "/data-proxy/02", key: null }],
        ["/verify", { path: "/verify", key: null }],
        ["/project", { path: "/project", key: "unknown" }],
        ["/feeds", { path: "/feeds", json: { mode: "OFTEN" } }],
        ["/feeds/{feed_id}", { path: `/feeds/${nobodys}` }],
        ["/feeds/{feed_id}", { method: "DELETE", path: `/feeds/${nobodys}` }],
        ...recording,
        ...spent,
        ["/programs/{program}", { path: "/programs/zz" }]
      ]
    )
  }
)

const describesRecords = audit<Target>(
  "REST-DOCS-006",
  "MUST",
  "D20/D46",
  "every record is valid by the OpenAPI document: info, health, readiness, verify, project, programs, keys, history, data proxies, and tickets where there are any",
  async (target) => {
    const run = await send(target, { path: "/execute", query: { execProgramId: target.programs.echo } })
    const drId = String(at(run.json, "data", "dataResult", "drId"))
    const publicKey = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
    const plain = ["/info", "/health", "/ready", "/verify", "/project", "/programs", "/keys", "/feeds"]
    const tickets: ReadonlyArray<Documented> = target.hasTickets === true ? [["/tickets", { path: "/tickets", json: {} }]] : []
    return areDescribed(
      target,
      [200, 201],
      [
        ...tickets,
        ...plain.map((path): Documented => [path, { path }]),
        ["/programs/{program}", { path: `/programs/${target.programs.echo}` }],
        ["/data-request-reports", { path: "/data-request-reports", query: { drId } }],
        ["/data-proxy/{public_key}", { path: `/data-proxy/${publicKey}`, key: null }]
      ]
    )
  }
)

/** The example of a parameter, wherever it is written. */
const exampleOf = (parameter: unknown): unknown => at(parameter, "example") ?? at(parameter, "schema", "example")

/** The request that an operation's examples make; `undefined` if something that it needs has none. */
const exampleCall = (path: string, method: string, operation: unknown): Call | undefined => {
  const parameters = at(operation, "parameters")
  const listed: ReadonlyArray<unknown> = Array.isArray(parameters) ? parameters : []
  const given = listed.flatMap((each) => (exampleOf(each) === undefined ? [] : [[each, String(exampleOf(each))] as const]))
  const lacks = listed.some((each) => at(each, "required") === true && exampleOf(each) === undefined)
  const body = at(operation, "requestBody", "content", "application/json", "example")
  if (lacks || (at(operation, "requestBody") !== undefined && body === undefined)) return undefined
  const inPlace = (place: string) => given.filter(([each]) => at(each, "in") === place)
  const written = inPlace("path").reduce(
    (so, [each, value]) => so.replace(`{${String(at(each, "name"))}}`, encodeURIComponent(value)),
    path
  )
  const query = Object.fromEntries(inPlace("query").map(([each, value]) => [String(at(each, "name")), value]))
  return { path: written, method: method.toUpperCase(), query, ...(body === undefined ? {} : { json: body }) }
}

/** A stored result need not be there; everything else of an example is. */
const isAccepted = (path: string, { status }: Answer): boolean =>
  [200, 201, 599].includes(status) || (path === "/execute/last-result" && status === 404)

const acceptsItsExamples = audit<Target>(
  "REST-DOCS-007",
  "MUST",
  "D20",
  "each request that the OpenAPI document gives as an example is accepted; those of /execute and /data-request-reports have one",
  async (target) => {
    const { describes, operations } = await openApiOf(target)
    const checks: Array<Check> = []
    const made = new Set<string>()
    for (const { description, method, path } of operations) {
      const call = exampleCall(path, method, description)
      if (call === undefined) continue
      made.add(`${method} ${path}`)
      const answer = await send(target, call)
      const feedId = at(answer.json, "feedId")
      // A durable feed would run for ever.
      if (path === "/feeds" && typeof feedId === "string") await send(target, { method: "DELETE", path: `/feeds/${feedId}` })
      const what = `${method} ${path}: the example`
      checks.push(
        holds(what, isAccepted(path, answer), [answer.status, begunWith(answer.text)]),
        ...describes(what, { path, method }, answer)
      )
    }
    const needed = ["get /execute", "post /execute", "get /data-request-reports"]
    return [
      ...checks,
      same(
        "operations without an example",
        needed.filter((each) => !made.has(each)),
        []
      )
    ]
  }
)

const sparesTheUnchanged = audit<Target>(
  "REST-DOCS-008",
  "SHOULD",
  "D20/RFC 9110 section 13.1.2",
  "the documents have an ETag: who has the current one is answered 304 without a body, who has another is sent it",
  async (target) => {
    const checks = ["/docs", "/docs/openapi.json", "/docs/asyncapi.json"].map(async (path) => {
      const first = await send(target, { path, key: null })
      const etag = first.header("etag") ?? ""
      const ask = (value: string): Promise<Answer> => send(target, { path, key: null, headers: { "if-none-match": value } })
      const [unchanged, other] = [await ask(etag), await ask('"another"')]
      return [
        holds(`${path}: etag`, /^(?:W\/)?"[^"]+"$/.test(etag), etag),
        same(`${path}: the same one`, [unchanged.status, unchanged.text], [304, ""]),
        same(`${path}: another one`, [other.status, other.text.length], [200, first.text.length])
      ]
    })
    return (await Promise.all(checks)).flat()
  }
)

/** The OpenAPI document. */
export const openApiAudits: ReadonlyArray<Audit<Target>> = [
  documentsEveryEndpoint,
  describesExecutions,
  describesRefusals,
  describesRecords,
  acceptsItsExamples,
  sparesTheUnchanged
]
