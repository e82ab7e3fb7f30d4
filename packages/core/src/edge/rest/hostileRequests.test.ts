/** Whatever an adapter passes in, the service answers, and only with documented statuses and bodies. */
import { Effect } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isContractAnswer, servedPathOf, servedPaths } from "../../testdata/contractAnswers.ts"
import { outcome } from "../../testdata/scriptedRuntime.ts"
import { openTestService, seamRequest } from "../../testdata/testService.ts"
import { BodyUnreadable, type ServiceRequest } from "../transport/seam.ts"

let testService: Awaited<ReturnType<typeof openTestService>>

beforeAll(async () => {
  testService = await openTestService({
    credits: 10n ** 12n,
    script: ({ args }) => Effect.succeed(outcome({ exitCode: (args[0]?.length ?? 0) % 3, result: new Uint8Array([0x7b, 0xff]) }))
  })
})

afterAll(() => testService.service.dispose())

const method = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("GET", "POST", "GET", "POST", "HEAD") },
  fc.constantFrom("PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT", "TRACE", "get", "", "constructor", "__proto__", "G\u0000T", "\ud800"),
  fc.string({ maxLength: 20 })
)

const hostileText = fc.oneof(
  fc.fullUnicodeString({ maxLength: 30 }),
  fc.constantFrom(
    "%",
    "%%%",
    "%ff",
    "%00",
    "\u0000",
    "\r\nx-evil: 1",
    "../../..",
    "=",
    "&&&&",
    "__proto__",
    "\ud800",
    "'; DROP TABLE keys; --"
  ),
  fc.constant("x".repeat(20_000))
)

const names = [
  "execProgramId",
  "tallyProgramId",
  "execInputs",
  "tallyInputs",
  "inputEncoding",
  "encoding",
  "includeDebugInfo",
  "includeSummary",
  "returnLastResult",
  "returnLastResultMaxAge",
  "injectLastResult",
  "mode",
  "drId"
]

const value = fc.oneof(
  hostileText,
  fc.constantFrom("true", "0", "hex", "json", "0xff", "1e309", "-1", "success", "last"),
  fc.constant("\u0001program")
)

const url = fc
  .tuple(
    fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...servedPaths) },
      hostileText,
      fc.constantFrom("", "*", "//execute", "/execute/", "/EXECUTE")
    ),
    fc.option(
      fc.oneof(
        hostileText,
        fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 5 }).map((pairs) =>
          // A malformed escape or a lone surrogate is sent unchanged.
          pairs.map(([name, text]) => `${name}=${/%|[\ud800-\udfff]/.test(text) ? text : encodeURIComponent(text)}`).join("&")
        )
      )
    )
  )
  .map(([path, query]) => (query === null ? path : `${path}?${query}`))

const authorization = fc.oneof(
  { weight: 5, arbitrary: fc.constant("\u0001key") },
  fc.constantFrom(undefined, "", "Bearer", "Bearer \u0000", "Basic eDp5"),
  hostileText.map((text) => `Bearer ${text}`)
)

const contentType = fc.oneof(
  { weight: 4, arbitrary: fc.constant("application/json") },
  fc.constantFrom(undefined, "", "text/html"),
  hostileText
)

const jsonText = fc.oneof(
  fc.json(),
  hostileText,
  fc.dictionary(fc.constantFrom(...names), fc.oneof(value, fc.jsonValue({ maxDepth: 2 }))).map((members) => JSON.stringify(members))
)

const unreadable = fc
  .constantFrom("tooLarge" as const, "aborted" as const, "alreadyRead" as const)
  .map((reason) => new BodyUnreadable(reason, "x"))

/** A body, or any value that reading it may reject with or throw. */
const body = fc.oneof(
  fc
    .oneof(
      jsonText.map((text) => new TextEncoder().encode(text)),
      fc.uint8Array()
    )
    .map((bytes) => ({ fails: false, bytes }) as const),
  fc.record({ fails: fc.constant(true as const), thrown: fc.boolean(), cause: fc.oneof(fc.anything(), unreadable) })
)

/** The header function itself may throw, as a bug of an adapter would. */
const brokenHeader = fc.oneof({ weight: 30, arbitrary: fc.constant(false) }, fc.constant(true))

/** The place of a deployed program's id, as it stands in a query, in JSON and in plain text. */
const filledIn = (text: string): string => text.replaceAll(/(?:%01|\\u0001|\u0001)program/g, () => testService.execProgramId)

const hostile = fc.record({ method, url, authorization, contentType, body, brokenHeader }).map((given): ServiceRequest => {
  const headers: Record<string, string> = {}
  if (given.contentType !== undefined) headers["content-type"] = given.contentType
  if (given.authorization !== undefined)
    headers["authorization"] = given.authorization === "\u0001key" ? `Bearer ${testService.key}` : given.authorization
  const request = seamRequest(given.method, filledIn(given.url), { headers })
  const { body: read } = given
  return {
    ...request,
    header: (name) => {
      if (given.brokenHeader) throw new TypeError("no such header")
      return request.header(name)
    },
    body: () => {
      if (!read.fails) return Promise.resolve(new TextEncoder().encode(filledIn(new TextDecoder().decode(read.bytes))))
      if (read.thrown) throw read.cause
      return Promise.reject(read.cause)
    }
  }
})

describe("hostile requests", () => {
  it("are answered with a status and a body of the contract, or ignored", async () => {
    const seen = new Map<number, number>()
    await fc.assert(
      fc.asyncProperty(hostile, async (request) => {
        const response = await testService.service.fetch(request)
        const path = servedPathOf(request.url.split("?")[0] ?? "")
        expect(response === undefined, request.url).toBe(path === undefined)
        if (response === undefined || path === undefined) return
        seen.set(response.status, (seen.get(response.status) ?? 0) + 1)
        const page = path.startsWith("/docs") && response.status === 200
        const told = `${request.method} ${request.url}: ${response.status} ${String(response.body)}`
        expect(page || isContractAnswer(request.method, path, response), told).toBe(true)
        for (const text of Object.values(response.headers)) expect(text).not.toMatch(/[\r\n]/)
      }),
      { numRuns: 2_000 }
    )
    // Otherwise the generator would produce only refusals.
    for (const status of [200, 400, 401, 405, 414, 500])
      expect(seen.get(status) ?? 0, `${status} of ${[...seen].join(" ")}`).toBeGreaterThan(0)
    const after = await testService.service.fetch(seamRequest("GET", "/health"))
    expect(after?.status).toBe(200)
  })

  it("cannot reach members of a prototype", async () => {
    for (const path of ["/__proto__", "/constructor", "/toString", "__proto__", "/execute/__proto__"]) {
      expect(await testService.service.fetch(seamRequest("GET", path)), path).toBeUndefined()
    }
  })
})
