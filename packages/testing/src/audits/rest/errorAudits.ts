/** Audits of requests that are wrong in themselves: path, method, size, type, form (D13). */
import { type Audit, audit } from "../audit.ts"
import { holds, matches, same } from "../check.ts"
import { type Answer, at, execute, executePost, send } from "./call.ts"
import { type Endpoint, endpointsOf } from "./endpoints.ts"
import type { Target } from "./target.ts"
import { isError, succeeds, uuid } from "./wireForms.ts"

const json = { "content-type": "application/json" } as const

const namesEveryRequest = audit<Target>(
  "REST-ERROR-001",
  "MUST",
  "D13",
  "every response carries its own x-request-id, a UUID",
  async (target) => {
    const paths = ["/info", "/health", "/ready", "/verify", "/project", "/docs", "/docs/openapi.json", "/execute"]
    const answers = [
      ...(await Promise.all(paths.map((path) => send(target, { path })))),
      await execute(target, "echo"),
      await execute(target, "failing"),
      await send(target, { path: "/verify", key: null })
    ]
    const ids = answers.map((answer) => answer.header("x-request-id"))
    return [
      ...ids.map((id, index) => matches(`x-request-id of ${paths[index] ?? "an execution"}`, id, uuid)),
      same("all different", new Set(ids).size, ids.length)
    ]
  }
)

/** Every path, with a sample key for a parameter, and its methods. */
const pathsOf = (endpoints: ReadonlyArray<Endpoint>): ReadonlyArray<readonly [path: string, allowed: ReadonlyArray<string>]> =>
  [...new Set(endpoints.map(({ path }) => path))].map((path) => [
    path.replace(":public_key", `02${"11".repeat(32)}`).replace(":feed_id", "0b2f7a51-44c1-4a5e-8c3d-9f1e2d3c4b5a"),
    endpoints
      .filter((endpoint) => endpoint.path === path)
      .map(({ method }) => method)
      .toSorted()
  ])

const refusesOtherMethods = audit<Target>(
  "REST-ERROR-008",
  "MUST",
  "D13",
  "an unsupported method on any path of the service is 405, with the supported ones in Allow",
  async (target) => {
    const checks = pathsOf(endpointsOf(target)).flatMap(([path, allowed]) =>
      ["DELETE", "PUT", "PATCH", "POST"]
        .filter((method) => !allowed.includes(method))
        .map(async (method) => {
          const answer = await send(target, { method, path })
          const listed = (answer.header("allow") ?? "").split(/, */).filter((name) => name !== "HEAD" && name !== "OPTIONS")
          return [
            ...isError(`${method} ${path}`, answer, 405, "MethodNotAllowed"),
            same(`${method} ${path}: allow`, listed.toSorted(), allowed)
          ]
        })
    )
    return (await Promise.all(checks)).flat()
  }
)

const answersHead = audit<Target>(
  "REST-ERROR-009",
  "SHOULD",
  "RFC 9110 section 9.3.2",
  "HEAD of a record is answered without a body and without a wrong length, and is in Allow",
  async (target) => {
    const answer = await send(target, { method: "HEAD", path: "/info", key: null })
    const got = await send(target, { path: "/info", key: null })
    const length = answer.header("content-length")
    const refused = await send(target, { method: "PUT", path: "/info", key: null })
    return [
      same("status", answer.status, 200),
      same("body", answer.text, ""),
      same("content-length, if there is one", length ?? String(Buffer.byteLength(got.text)), String(Buffer.byteLength(got.text))),
      holds("Allow names HEAD", (refused.header("allow") ?? "").split(/, */).includes("HEAD"), refused.header("allow"))
    ]
  }
)

const runsNothingByHead = audit<Target>(
  "REST-ERROR-020",
  "MUST",
  "D13",
  "HEAD and OPTIONS of /execute are 405 with GET and POST in Allow: neither runs a program",
  async (target) => {
    const used = async (): Promise<unknown> => at((await send(target, { path: "/verify" })).json, "usedCreditsSnapshot")
    const before = await used()
    const query = { execProgramId: target.programs.echo }
    const answers = await Promise.all(["HEAD", "OPTIONS"].map((method) => send(target, { method, path: "/execute", query })))
    return [
      ...answers.flatMap((answer, index) => [
        same(`${index === 0 ? "HEAD" : "OPTIONS"}: status`, answer.status, 405),
        same(`${index === 0 ? "HEAD" : "OPTIONS"}: allow`, (answer.header("allow") ?? "").split(/, */).toSorted(), ["GET", "POST"])
      ]),
      same("body of HEAD", answers[0]?.text, ""),
      same("used credits", await used(), before)
    ]
  }
)

const limitsBodies = audit<Target>(
  "REST-ERROR-010",
  "MUST",
  "D13/D29",
  "a body over 2 MiB is 413 PayloadTooLarge; a slightly smaller one is read",
  async (target) => {
    const over = await executePost(target, "echo", { ignored: "x".repeat(2 * 1024 * 1024) })
    const under = await executePost(target, "echo", { ignored: "x".repeat(2 * 1024 * 1024 - 200) })
    return [...isError("over", over, 413, "PayloadTooLarge"), ...succeeds("under", under)]
  }
)

const limitsTargets = audit<Target>(
  "REST-ERROR-011",
  "MUST",
  "D13",
  "path and query over 16 KiB are 414 UriTooLong; slightly shorter ones are read",
  async (target) => {
    const over = await execute(target, "echo", { execInputs: "x".repeat(16 * 1024) })
    const under = await execute(target, "echo", { execInputs: "x".repeat(15 * 1024) })
    return [...isError("over", over, 414, "UriTooLong"), ...succeeds("under", under)]
  }
)

const refusesOtherMediaTypes = audit<Target>(
  "REST-ERROR-012",
  "MUST",
  "D13",
  "a body that is not declared as JSON is 415 UnsupportedMediaType; JSON with a charset or a +json type is accepted",
  async (target) => {
    const text = JSON.stringify({ execProgramId: target.programs.echo })
    const post = (type: string): Promise<Answer> => send(target, { path: "/execute", text, headers: { "content-type": type } })
    const wrong = ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "multipart/form-data; boundary=x"]
    const right = ["application/json", "application/json; charset=utf-8", "Application/JSON", "application/vnd.oracle+json"]
    const refused = wrong.map(async (type) => isError(type, await post(type), 415, "UnsupportedMediaType"))
    const read = right.map(async (type) => succeeds(type, await post(type)))
    return (await Promise.all([...refused, ...read])).flat()
  }
)

const malformedBodies = [
  "{",
  "[]",
  '"text"',
  "1",
  "null",
  '{"a":1,}',
  "{'a':1}",
  '{"a":01}',
  "{} {}",
  '{"a":"\t"}',
  "\ufeff\ufeff{}"
] as const

const readsByteOrderMarks = audit<Target>(
  "REST-ERROR-018",
  "SHOULD",
  "RFC 8259 section 8.1/D13",
  "a byte order mark before the body is ignored",
  async (target) => {
    const text = `\ufeff{"execProgramId":"${target.programs.echo}"}`
    return succeeds("answer", await send(target, { path: "/execute", text, headers: json }))
  }
)

const refusesCompressedBodies = audit<Target>(
  "REST-ERROR-019",
  "MUST",
  "RFC 9110 section 15.5.16/D13",
  "a compressed body is 415 UnsupportedMediaType, not malformed JSON; the coding identity is accepted",
  async (target) => {
    const text = JSON.stringify({ execProgramId: target.programs.echo })
    const post = (coding: string): Promise<Answer> =>
      send(target, { path: "/execute", text, headers: { ...json, "content-encoding": coding } })
    const refused = ["gzip", "br", "deflate", "GZIP"].map(async (coding) =>
      isError(coding, await post(coding), 415, "UnsupportedMediaType")
    )
    return [...(await Promise.all(refused)).flat(), ...succeeds("identity", await post("identity"))]
  }
)

const refusesMalformedBodies = audit<Target>(
  "REST-ERROR-013",
  "MUST",
  "D13",
  "a body that is not one JSON object is 400 InvalidRequest",
  async (target) => {
    const checks = malformedBodies.map(async (text) =>
      isError(JSON.stringify(text), await send(target, { path: "/execute", text, headers: json }), 400, "InvalidRequest")
    )
    return (await Promise.all(checks)).flat()
  }
)

const refusesMalformedQueries = audit<Target>(
  "REST-ERROR-014",
  "MUST",
  "D13",
  "a query that is not percent-encoded UTF-8 is 400, naming the parameter",
  async (target) => {
    const answer = await send(target, { path: `/execute?execProgramId=${target.programs.echo}&execInputs=%FF%zz` })
    return isError("answer", answer, 400, "InvalidParameter", "execInputs")
  }
)

const answersForeignPaths = audit<Target>(
  "REST-ERROR-016",
  "MUST",
  "D13",
  "a stand-alone server answers unknown paths with 404 NotFound",
  async (target) => {
    if (target.standAlone !== true) return { skip: "the target is embedded: unknown paths belong to the embedding server" }
    const foreign = ["/", "/nothing", "/executes", "/execute/", "/docs/nothing"]
    const checks = foreign.map(async (path) => isError(path, await send(target, { path }), 404, "NotFound"))
    return (await Promise.all(checks)).flat()
  }
)

/** Requests that are wrong in themselves. */
export const errorAudits: ReadonlyArray<Audit<Target>> = [
  namesEveryRequest,
  refusesOtherMethods,
  answersHead,
  runsNothingByHead,
  limitsBodies,
  limitsTargets,
  refusesOtherMediaTypes,
  refusesMalformedBodies,
  readsByteOrderMarks,
  refusesCompressedBodies,
  refusesMalformedQueries,
  answersForeignPaths
]
