/** Every answer is one of the OpenAPI document, and every answer in the document occurs. */
import { Clock, Effect, Layer } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { DataProxies } from "../../ports/dataProxies.ts"
import { Directory } from "../../ports/directory.ts"
import { endings, type ManyTenants, openManyTenants, type TenantKeys } from "../../testdata/manyTenants.ts"
import { documentedAnswers, readAnswer, schemaBreaches } from "../../testdata/openApiAnswers.ts"
import { golden } from "../../testdata/vectors.ts"
import { openTestService, seamRequest } from "../../testdata/testService.ts"
import { BodyUnreadable, type Service } from "../transport/seam.ts"

let testService: ManyTenants

beforeAll(async () => {
  testService = await openManyTenants()
})

afterAll(() => testService.service.dispose())

interface Ask {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly key: keyof TenantKeys | undefined
  readonly body?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** The body is announced but never sent. */
  readonly stalls?: boolean
}

/** Sends a request and returns which documented answer it got and what is wrong with it; `undefined` for a foreign method. */
const asked = async (input: Ask, service: Service = testService.service) => {
  const { body, headers = {}, key, method, path, query } = input
  const sent = body?.replaceAll("$program", testService.execProgramId)
  const url = `${path.replace("$program", testService.execProgramId)}${query === "" ? "" : `?${query.replaceAll("$program", testService.execProgramId)}`}`
  const request = seamRequest(method, url, {
    headers: { ...(key === undefined ? {} : { authorization: `Bearer ${testService.tenants[key]}` }), ...headers },
    ...(sent === undefined ? {} : { body: sent })
  })
  const tooLarge = () => Promise.reject(new BodyUnreadable("tooLarge", "too large"))
  const response = await service.fetch({
    ...request,
    body: (maxBytes) => {
      if (input.stalls === true) return new Promise(() => {})
      return (sent?.length ?? 0) > maxBytes ? tooLarge() : request.body(maxBytes)
    }
  })
  if (response === undefined) throw new Error(`${url} was left alone`)
  const read = readAnswer(method, path, response)
  // A method that the path does not have; a target that is too long is refused before its method is looked at.
  const foreign = response.status === 405 || (read === undefined && response.status === 414)
  expect(read === undefined, `${method} ${url.slice(0, 200)}: ${response.status}`).toBe(foreign)
  return read
}

const drId = "ab".repeat(32)
const proxyPaths = [golden.testKey.publicKeyCompressed, "04ff", "x"].map((key) => `/data-proxy/${key}`)
const executePaths = ["/execute", "/execute/last-result"]
const recordPaths = [
  "/feeds",
  "/feeds/0b2f7a51-44c1-4a5e-8c3d-9f1e2d3c4b5a",
  "/data-request-reports",
  "/executions/0b2f7a51-44c1-4a5e-8c3d-9f1e2d3c4b5a/recording",
  "/verify",
  "/project",
  "/keys",
  "/programs",
  "/programs/$program",
  "/programs/no.such-program",
  "/info",
  "/ready",
  "/health"
]

const values: Readonly<Record<string, ReadonlyArray<string>>> = {
  execProgramId: ["$program", "0x$program", "$program", "$program", "0".repeat(64), "abc", "no.such-program", ""],
  tallyProgramId: ["$program", "1".repeat(64), "xyz"],
  execInputs: ["a", "b", endings.fails, endings.fails, endings.breaks, "0x0", "%F0%9F%98%80", "%ff", "{}"],
  tallyInputs: ["", "0x01", "0xg"],
  inputEncoding: ["auto", "hex", "utf8", "base64", "rot13"],
  encoding: ["hex", "base64", "utf8", "json", "xml"],
  includeDebugInfo: ["true", "0", "TRUE", "yes"],
  includeSummary: ["1", "false", "2"],
  returnLastResult: ["true", "false", "maybe"],
  returnLastResultMaxAge: ["0", "60", "-1", "x"],
  injectLastResult: ["success", "last", "none", "first"],
  noPrefetch: ["1", "false", "never"],
  includeRecording: ["1", "false", "never"],
  dryRun: ["true", "false", "no"],
  mode: ["success", "last", "first"],
  drId: [drId, drId.toUpperCase(), `0x${drId}`, "12"],
  amount: ["1", "100", "0", "101", "ten"],
  startDate: ["2026-01-01", "1750000000000", "yesterday"],
  endDate: ["2026-01-02", "2025-01-01T00:00:00Z", "-"],
  nextPageId: ["AAAA", "%00"],
  unknown: ["x"]
}

const pair = fc
  .constantFrom(...Object.keys(values))
  .chain((name) => fc.constantFrom(...(values[name] ?? [])).map((value) => [name, value] as const))

const parameters = fc
  .tuple(fc.constantFrom("$program", "$program", "$program", undefined), fc.uniqueArray(pair, { maxLength: 3, selector: ([name]) => name }))
  .map(([program, pairs]) => (program === undefined ? pairs : [["execProgramId", program] as const, ...pairs]))

const queryOf = (pairs: ReadonlyArray<readonly [string, string]>): string => pairs.map(([name, value]) => `${name}=${value}`).join("&")

const body = fc.oneof(
  { weight: 6, arbitrary: parameters.map((pairs) => JSON.stringify(Object.fromEntries(pairs))) },
  fc.json({ maxDepth: 2 }),
  fc.constantFrom("", "{", "[]", '{"execProgramId":"$program","execInputs":{"a":[1,null]}}', "null"),
  fc.constant(`{"execInputs":"${"x".repeat(2_000)}"}`)
)

const usualKeys: ReadonlyArray<keyof TenantKeys> = ["rich", "neighbour"]
const specialKeys: ReadonlyArray<keyof TenantKeys> = ["broke", "limited", "restricted", "revoked", "none"]

const key = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...usualKeys) }, fc.constantFrom(...specialKeys, undefined))

const headers = fc.record(
  {
    "idempotency-key": fc.constantFrom("a", "b", "c", "d", "e", "f", "", "x".repeat(256)),
    "content-type": fc.constantFrom("application/json", "application/json; charset=utf-8", "text/plain"),
    accept: fc.constantFrom("*/*", "text/html")
  },
  { requiredKeys: [] }
)

const input: fc.Arbitrary<Ask> = fc
  .record({
    path: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...executePaths) },
      { weight: 2, arbitrary: fc.constantFrom(...recordPaths) },
      fc.constantFrom(...proxyPaths)
    ),
    method: fc.oneof({ weight: 12, arbitrary: fc.constantFrom("GET", "POST") }, fc.constantFrom("PUT", "DELETE", "PATCH")),
    query: fc.oneof({ weight: 20, arbitrary: parameters.map(queryOf) }, fc.constantFrom("%", "a=%zz", "x".repeat(17_000))),
    key,
    body,
    headers
  })
  .map(({ body: text, ...rest }) => (rest.method === "GET" ? rest : { ...rest, body: text }))

const runOf = (execInputs: string): Ask => ({
  method: "GET",
  path: "/execute",
  query: `execProgramId=$program&execInputs=${execInputs}`,
  key: "rich"
})

const retryOf = (execInputs: string): Ask => ({
  method: "POST",
  path: "/execute",
  query: `execInputs=${execInputs}`,
  key: "rich",
  body: '{"execProgramId":"$program"}',
  headers: { "idempotency-key": "twice" }
})

/** In order: two outcomes of a run, and two requests with one idempotency key. */
const rareInputs = [...Object.values(endings).map(runOf), retryOf("one"), retryOf("other")]

describe("the checker", () => {
  it("detects missing, mistyped, malformed and undocumented values", () => {
    const proxy = { registered: true, name: "A", publicKey: "02", fee: "5" }
    const { fee, ...withoutFee } = proxy
    expect(fee).toBe("5")
    expect(schemaBreaches("DataProxy", proxy)).toEqual([])
    const changed = [
      { ...proxy, fee: 5 },
      { ...proxy, fee: "-5" },
      { ...proxy, more: 1 }
    ]
    for (const wrong of [withoutFee, ...changed, [], null, "x"]) {
      expect(schemaBreaches("DataProxy", wrong), JSON.stringify(wrong)).not.toEqual([])
    }
  })
})

describe("generated requests", () => {
  it("are answered as documented, 5,000 times out of 5,000", { timeout: 300_000 }, async () => {
    const seen = new Map<string, number>()
    let count = 0
    await fc.assert(
      fc.asyncProperty(input, async (each) => {
        // The memory stores never yield to the event loop, so this does.
        if ((count += 1) % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
        const read = await asked(each)
        if (read === undefined) return
        expect(read.breaches, `${read.name}: ${JSON.stringify(each).slice(0, 500)}`).toEqual([])
        seen.set(read.name, (seen.get(read.name) ?? 0) + 1)
      }),
      // Few generated requests get as far as a run, so its outcomes and a reused key are tested explicitly.
      { numRuns: 5_000, examples: rareInputs.map((each) => [each]) }
    )
    expect([...seen.keys()].filter((name) => !documentedAnswers.includes(name))).toEqual([])
    // Otherwise the generator would produce only refusals.
    for (const status of [200, 400, 401, 403, 404, 413, 414, 415, 422, 429, 500, 599]) {
      const answered = [...seen.keys()].some((name) => name.endsWith(` ${status}`))
      expect(answered, `${status} of ${[...seen].join(" ")}`).toBe(true)
    }
  })
})

const operations = [...new Set(documentedAnswers.map((name) => name.slice(0, name.lastIndexOf(" "))))]

/** A request that an operation answers with 200 (or 404, where nothing is stored yet). */
const plain = (operation: string): Ask => {
  const [method = "", pattern = ""] = operation.split(" ")
  const path = pattern.replace("{public_key}", golden.testKey.publicKeyCompressed)
  const execution = path.startsWith("/execute") ? "execProgramId=$program" : ""
  return {
    method,
    path,
    query: path === "/data-request-reports" ? `drId=${drId}` : execution,
    key: "rich",
    ...(method === "POST" ? { body: "{}" } : {})
  }
}

/** Requests beside the plain one, for every operation; those that make no sense for it are answered some other way. */
const variants = (operation: string): ReadonlyArray<Ask> => {
  const base = plain(operation)
  const isPost = base.method === "POST"
  const retried = { ...base, headers: { "idempotency-key": "again" } }
  return [
    { ...base, query: `${base.query}&execInputs=${endings.fails}` },
    base,
    { ...base, query: `${base.query}&execInputs=${endings.fails}` },
    { ...base, query: `${base.query}&execInputs=nothing-is-stored-for-this` },
    { ...base, query: base.query.replace("$program", "0".repeat(64)) },
    { ...base, query: "drId=1&execProgramId=1", path: base.path.replace(/[0-9a-f]{66}/, "x") },
    { ...base, query: "x".repeat(17_000) },
    ...(["broke", "limited", "revoked"] as const).map((special) => ({ ...base, key: special })),
    ...(isPost
      ? [
          { ...base, body: `{"execInputs":"${"x".repeat(2_000)}"}` },
          { ...base, headers: { "content-type": "text/plain" } },
          { ...base, stalls: true },
          retried,
          { ...retried, body: '{"execInputs":"other"}' }
        ]
      : [])
  ]
}

/** A service in which every dependency of an operation fails. */
const openBroken = (): Promise<Service> =>
  testService.openAnother((stores) =>
    Layer.merge(
      Layer.succeedContext(stores),
      Layer.merge(
        Layer.succeed(Directory, new Proxy({} as Directory["Type"], { get: () => () => Effect.die("broken") })),
        Layer.succeed(DataProxies, new Proxy({} as DataProxies["Type"], { get: () => () => Effect.die("broken") }))
      )
    )
  )

/** A service whose clock and name fail once it is open: even `/info`, `/ready` and `/health` are internal errors. */
const openNameless = async (): Promise<Service> => {
  let open = false
  const { openAnother } = await openTestService({
    options: {
      network: {
        name: "testnet",
        get chainId(): string {
          if (open) throw new TypeError("broken")
          return "seda-1-testnet"
        }
      }
    }
  })
  const clock = Clock.make()
  const stopped = new Proxy(clock, {
    get: (whole, name) => {
      if (open && (name === "currentTimeMillis" || name === "currentTimeNanos")) return Effect.die("broken")
      const member: unknown = Reflect.get(whole, name)
      return typeof member === "function" ? (member.bind(whole) as unknown) : member
    }
  })
  const service = await openAnother((stores) => Layer.merge(Layer.succeedContext(stores), Layer.setClock(stopped)))
  open = true
  return service
}

const feedBody = (execProgramId = "$program"): string =>
  JSON.stringify({ execute: { execProgramId }, mode: "FIXED", periodicityMs: 86_400_000 })

/** More durable feeds than a project may have, and one of a program that is not deployed. */
const newFeeds: ReadonlyArray<Ask> = [...Array.from({ length: 4 }, () => feedBody()), feedBody("0".repeat(64))].map((body) => ({
  method: "POST",
  path: "/feeds",
  query: "",
  key: "rich",
  body
}))

const wishOf = (body: object): Ask => ({ method: "POST", path: "/tickets", query: "", key: "rich", body: JSON.stringify(body) })

/** A wish that breaks a rule, one for a program that is not deployed, and more tickets than a project may have. */
const newTickets: ReadonlyArray<Ask> = [
  wishOf({ maxUses: 0 }),
  wishOf({ programs: ["0".repeat(64)] }),
  ...Array.from({ length: 41 }, () => wishOf({ expiresInMs: 3_600_000 }))
]

/** A ticket that is valid for another page's origin, so that every request with it is refused. */
const foreignTicket = async (): Promise<string> => {
  const headers = { authorization: `Bearer ${testService.tenants.neighbour}` }
  const body = JSON.stringify({ origins: ["https://elsewhere.example"], expiresInMs: 3_600_000 })
  const response = await testService.service.fetch(seamRequest("POST", "/tickets", { headers, body }))
  const { ticket } = JSON.parse(String(response?.body)) as { readonly ticket: string }
  return `Bearer ${ticket}`
}

/** The id of one of the project's durable feeds. */
const anyFeedId = async (): Promise<string> => {
  const headers = { authorization: `Bearer ${testService.tenants.rich}` }
  const response = await testService.service.fetch(seamRequest("GET", "/feeds", { headers }))
  const { data } = JSON.parse(String(response?.body)) as { readonly data: ReadonlyArray<{ readonly feedId: string }> }
  return data[0]?.feedId ?? ""
}

/** The id of a run that was recorded. */
const anyRecordedId = async (): Promise<string> => {
  const headers = { authorization: `Bearer ${testService.tenants.rich}` }
  const path = `/execute?execProgramId=${testService.execProgramId}&includeRecording`
  const response = await testService.service.fetch(seamRequest("GET", path, { headers }))
  const { data } = JSON.parse(String(response?.body)) as { readonly data: { readonly id: string } }
  return data.id
}

describe("every documented answer", () => {
  it("occurs", async () => {
    const reached = new Set<string>()
    const ask = async (each: Ask, service?: Service): Promise<void> => {
      const read = await asked(each, service)
      if (read === undefined) return
      expect(read.breaches, read.name).toEqual([])
      reached.add(read.name)
    }
    for (const operation of operations) for (const each of variants(operation)) await ask(each)
    // A run is stored only after the answer that nothing is stored.
    for (const operation of operations) await ask(plain(operation))
    for (const each of newFeeds) await ask(each)
    for (const each of newTickets) await ask(each)
    const authorization = await foreignTicket()
    for (const operation of operations) await ask({ ...plain(operation), key: undefined, headers: { authorization } })
    const path = `/feeds/${await anyFeedId()}`
    for (const method of ["GET", "DELETE"]) await ask({ method, path, query: "", key: "rich" })
    await ask({ method: "GET", path: `/executions/${await anyRecordedId()}/recording`, query: "", key: "rich" })
    for (const program of ["$program", "0".repeat(64)]) await ask({ method: "GET", path: `/programs/${program}`, query: "", key: "rich" })
    const broken = [await openBroken(), await openNameless()]
    for (const service of broken) for (const operation of operations) await ask(plain(operation), service)
    const closed = await testService.openAnother()
    await closed.dispose()
    for (const operation of operations) await ask(plain(operation), closed)
    for (const service of broken) await service.dispose()
    expect(documentedAnswers.filter((name) => !reached.has(name))).toEqual([])
    expect(documentedAnswers.length).toBeGreaterThan(50)
  })
})
