/** Every status that needs no machine, through the service as an adapter has it (decisions D13 to D16). */
import { Deferred, Effect, Schema } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Errors from "../../contract/errors.ts"
import * as Records from "../../contract/records.ts"
import { fromUtf8 } from "../../domain/encoding/bytes.ts"
import { outcome } from "../../testdata/scriptedRuntime.ts"
import { openTestService, seamRequest } from "../../testdata/testService.ts"
import { BodyUnreadable, type ServiceRequest, type ServiceResponse } from "../transport/seam.ts"
import { routesOf } from "./routes.ts"

type Opened = Awaited<ReturnType<typeof openTestService>>

let testService: Opened

beforeAll(async () => {
  testService = await openTestService({
    script: ({ args, phase }) => {
      if (args[0] === "00" && phase === "exec") return Effect.succeed(outcome({ exitCode: 4, stderr: "upstream timed out" }))
      return args[0] === "ff" ? Effect.die("a secret about the inside") : Effect.succeed(outcome({ result: fromUtf8('{"price":1.50}') }))
    },
    options: { limits: { requestBytes: 1_000 } }
  })
})

afterAll(() => testService.service.dispose())

const ask = async (request: ServiceRequest, of: Opened = testService): Promise<ServiceResponse & { readonly body: string }> => {
  const response = await of.service.fetch(request)
  if (response === undefined || typeof response.body !== "string") throw new Error("no answer, or none in text")
  return { ...response, body: response.body }
}

const withKey = (of: Opened = testService): { readonly authorization: string } => ({ authorization: `Bearer ${of.key}` })

const get = (query: string, of: Opened = testService) => ask(seamRequest("GET", `/execute?${query}`, { headers: withKey(of) }), of)

const program = (of: Opened = testService): string => `execProgramId=${of.execProgramId}`

/** The body of an error, which its own schema must read. */
const errorOf = (
  response: { readonly body: string; readonly headers: Readonly<Record<string, string>> },
  error: { readonly wire: Schema.Schema.AnyNoContext }
): Errors.ErrorBody => {
  const body = Schema.decodeUnknownSync(error.wire)(JSON.parse(response.body)) as Errors.ErrorBody
  expect(body.error).toBe(body.message)
  expect(body.requestId).toBe(response.headers["x-request-id"])
  expect(body.requestId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  return body
}

describe("200 and 599", () => {
  it("answer a run by its exit code, with bodies that the contract reads", async () => {
    const success = await get(`${program()}&includeDebugInfo&includeSummary&encoding=json`)
    expect(success.status).toBe(200)
    const { data } = Schema.decodeUnknownSync(Records.ExecuteResponse)(JSON.parse(success.body))
    expect(data.id).toBe(success.headers["x-request-id"])
    expect(success.body).toContain('"result":{"price":1.50}')
    const failure = await get(`${program()}&execInputs=0x00&includeDebugInfo=1`)
    expect(failure.status).toBe(599)
    const failed = Schema.decodeUnknownSync(Records.FailedExecutionResponse)(JSON.parse(failure.body))
    expect(failed.data.execute?.stderr).toBe("upstream timed out")
    expect(failed.data.dataResult.exitCode).toBe(4)
  })

  it("answer GET and POST of one request with one drId", async () => {
    const idOf = ({ body }: { readonly body: string }) =>
      Schema.decodeUnknownSync(Records.ExecuteResponse)(JSON.parse(body)).data.dataResult.drId
    const body = JSON.stringify({ execProgramId: `0x${testService.execProgramId}`, execInputs: { a: [1, "é"] } })
    const posted = await ask(seamRequest("POST", "/execute", { headers: withKey(), body }))
    expect(idOf(await get(`${program()}&execInputs=${encodeURIComponent('{"a":[1,"é"]}')}`))).toBe(idOf(posted))
  })

  it("mark a stored result", async () => {
    await get(`${program()}&execInputs=cached`)
    const { headers, status } = await get(`${program()}&execInputs=cached&returnLastResult`)
    expect({ status, cache: headers["x-sibyl-cache"] }).toEqual({ status: 200, cache: "hit" })
    expect(headers["age"]).toMatch(/^[0-9]+$/)
  })

  it("show the account, the service and its health as the contract has them", async () => {
    const record = async <A, I>(path: string, schema: Schema.Schema<A, I>) => {
      const response = await ask(seamRequest("GET", path, { headers: withKey() }))
      expect(response.status).toBe(200)
      return Schema.decodeUnknownSync(schema, { onExcessProperty: "error" })(JSON.parse(response.body))
    }
    expect(await record("/verify", Records.VerifyRecord)).toMatchObject({
      projectId: testService.project.projectId,
      apiKeyExpiresAt: null
    })
    expect(await record("/project", Records.ProjectRecord)).toMatchObject({ usageLimits: null, allowedPrograms: null })
    expect(await record("/info", Records.InfoRecord)).toMatchObject({ network: "testnet", chainId: "seda-1-testnet" })
    expect(await record("/health", Records.HealthRecord)).toMatchObject({ status: "healthy" })
    expect(await record("/ready", Records.ReadyRecord)).toEqual({
      status: "ready",
      checks: { database: "ok", workers: "ok", signer: "ok" },
      problems: []
    })
  })
})

describe("400", () => {
  it("names the parameter and its rule", async () => {
    const response = await get("execProgramId=abc")
    expect(response.status).toBe(400)
    expect(errorOf(response, Errors.InvalidParameter).details).toEqual({
      parameter: "execProgramId",
      rule: "must be 64 hex characters, with or without 0x, or a program's name such as v1.prices.acme"
    })
    for (const query of ["", `${program()}&encoding=xml`, `${program()}&execInputs=%ff`, `${program()}&${program()}0`]) {
      expect((await get(query)).status, query).toBe(400)
    }
  })

  it("explains what is wrong with a body", async () => {
    for (const body of ["{", "[]", "1", "null", "\ufeff", '"x"', "{} {}", Uint8Array.of(0x22, 0xff, 0x22)]) {
      const response = await ask(seamRequest("POST", "/execute", { headers: withKey(), body }))
      expect(response.status, String(body)).toBe(400)
      expect(errorOf(response, Errors.InvalidRequest).message).toMatch(/^the body must be/)
    }
  })

  it("refuses a program that is not on the allow-list, before it is looked up", async () => {
    const strict = await openTestService({ project: { allowedPrograms: [] } })
    const response = await get(`execProgramId=${"0".repeat(64)}`, strict)
    expect(response.status).toBe(400)
    expect(errorOf(response, Errors.ProgramNotAllowed).details).toEqual({ programId: "0".repeat(64) })
    await strict.service.dispose()
  })
})

describe("401, 403, 404 and 429", () => {
  it("refuse a revoked key", async () => {
    const issued = await openTestService()
    expect((await ask(seamRequest("GET", "/verify", { headers: withKey(issued) }), issued)).status).toBe(200)
    await Effect.runPromise(issued.keys.revoke(issued.key.split("_")[2]?.slice(0, 12) ?? ""))
    expect((await ask(seamRequest("GET", "/verify", { headers: withKey(issued) }), issued)).status).toBe(401)
    await issued.service.dispose()
  })

  it("report that the balance does not suffice, and that the limit is reached", async () => {
    const poor = await openTestService({ credits: 5n })
    const response = await get(program(poor), poor)
    expect(response.status).toBe(403)
    expect(errorOf(response, Errors.InsufficientCredits).details).toEqual({ required: "1351", remaining: "5" })
    await poor.service.dispose()
    const limited = await openTestService({ project: { usageLimit: { periodMs: 3_600_000, credits: 10n } } })
    const refused = await get(program(limited), limited)
    expect(refused.status).toBe(429)
    errorOf(refused, Errors.CreditLimitExceeded)
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0)
    await limited.service.dispose()
  })

  it("report that a program is not deployed", async () => {
    const response = await get(`execProgramId=${"0".repeat(64)}`)
    expect(response.status).toBe(404)
    errorOf(response, Errors.ProgramNotFound)
  })
})

/** Every path of the service with its methods: the contract's, the documentation's and the WebSocket's. */
const everyPath = (): ReadonlyArray<readonly [path: string, methods: ReadonlyArray<string>]> =>
  [...routesOf()].map(([path, methods]) => [path.replace(/:\w+/, "anything"), [...methods.keys()]])

describe("405, 413, 414 and 415", () => {
  it("are tested on every path", () => {
    expect(everyPath().map(([path]) => path)).toEqual(expect.arrayContaining(["/execute/last-result", "/programs", "/docs", "/ws/v1"]))
  })

  it("list the methods of a path", async () => {
    for (const [path, methods] of everyPath()) {
      // A HEAD is the GET without its body, except if the GET runs a program.
      const allow = [...methods, ...(path === "/execute" || !methods.includes("GET") ? [] : ["HEAD"])].toSorted().join(", ")
      for (const method of ["PUT", "DELETE", "OPTIONS", "get", "__proto__", ""].filter((each) => !methods.includes(each))) {
        const response = await ask(seamRequest(method, path, { headers: withKey() }))
        expect({ status: response.status, allow: response.headers["allow"] }, `${method} ${path}`).toEqual({
          status: 405,
          allow
        })
        errorOf(response, Errors.MethodNotAllowed)
      }
    }
  })

  it("refuse a body that is too large, in another form, or not declared", async () => {
    const tooLarge: ServiceRequest = {
      ...seamRequest("POST", "/execute", { headers: withKey(), body: "{}" }),
      body: (maxBytes) => Promise.reject(new BodyUnreadable("tooLarge", `more than ${maxBytes}`))
    }
    const large = await ask(tooLarge)
    expect(large.status).toBe(413)
    expect(errorOf(large, Errors.PayloadTooLarge).details).toEqual({ maxBytes: 1_000 })
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "multipart/form-data"]) {
      const headers = { ...withKey(), "content-type": type }
      const response = await ask(seamRequest("POST", "/execute", { headers, body: "{}" }))
      expect(response.status, type).toBe(415)
      errorOf(response, Errors.UnsupportedMediaType)
    }
    for (const type of ["application/json", "APPLICATION/JSON; charset=utf-8", "application/ld+json"]) {
      const headers = { ...withKey(), "content-type": type }
      const response = await ask(seamRequest("POST", `/execute?${program()}`, { headers, body: "{}" }))
      expect(response.status, type).toBe(200)
    }
    const undeclared = await ask({
      ...seamRequest("POST", "/execute", { headers: withKey() }),
      body: () => Promise.resolve(fromUtf8("{}"))
    })
    expect(undeclared.status).toBe(415)
    const empty = await ask(seamRequest("POST", `/execute?${program()}`, { headers: withKey() }))
    expect(empty.status).toBe(200)
  })

  it("refuse a target that is too long, on every path", async () => {
    for (const [path] of everyPath()) {
      const response = await ask(seamRequest("GET", `${path}?${"x".repeat(16_384)}`, { headers: withKey() }))
      expect(response.status, path).toBe(414)
      expect(errorOf(response, Errors.UriTooLong).details).toEqual({ maxUrlBytes: 16_384 })
    }
  })
})

describe("500 and 503", () => {
  it("reveal no internal details of an error, and do not charge for it", async () => {
    const before = JSON.parse((await ask(seamRequest("GET", "/project", { headers: withKey() }))).body) as {
      readonly credits: unknown
    }
    const response = await get(`${program()}&execInputs=0xff`)
    expect(response.status).toBe(500)
    errorOf(response, Errors.InternalError)
    expect(response.body).not.toContain("secret")
    const after = JSON.parse((await ask(seamRequest("GET", "/project", { headers: withKey() }))).body) as {
      readonly credits: unknown
    }
    expect(after.credits).toEqual(before.credits)
  })

  it("state when to retry", async () => {
    const go = await Effect.runPromise(Deferred.make<void>())
    const busy = await openTestService({
      script: () => Effect.as(Deferred.await(go), outcome()),
      options: { maxRunsInFlight: 1 }
    })
    const running = get(program(busy), busy)
    while (busy.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    const response = await get(program(busy), busy)
    expect({ status: response.status, retry: response.headers["retry-after"] }).toEqual({ status: 503, retry: "1" })
    errorOf(response, Errors.Overloaded)
    await Effect.runPromise(Deferred.succeed(go, undefined))
    expect((await running).status).toBe(200)
    await busy.service.dispose()
  })
})
