/** The documentation that a service serves: complete, offline, and generated from the contract (decision D20). */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openTestService, seamRequest } from "../../testdata/testService.ts"
import { openApiDocument } from "./docs.ts"
import { gunzipSync } from "node:zlib"

let testService: Awaited<ReturnType<typeof openTestService>>

beforeAll(async () => {
  testService = await openTestService()
})

afterAll(() => testService.service.dispose())

const page = async (path: string) => {
  const response = await testService.service.fetch(seamRequest("GET", path))
  if (response === undefined || typeof response.body !== "string") throw new Error(`nothing at ${path}`)
  return { ...response, body: response.body }
}

interface ShownOperation {
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly example?: unknown }>
  readonly requestBody?: { readonly content: { readonly "application/json": { readonly example?: unknown } } }
}

interface ShownDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<"get" | "post", ShownOperation>>>>
}

describe("/docs/openapi.json", () => {
  it("is the contract's document, without a key, and the same every time", async () => {
    const first = await page("/docs/openapi.json")
    expect(first.status).toBe(200)
    expect(first.headers["content-type"]).toMatch(/^application\/json/)
    const { paths, ...rest } = JSON.parse(first.body) as ReturnType<typeof openApiDocument>
    const { paths: known, ...expected } = JSON.parse(JSON.stringify(openApiDocument())) as ReturnType<typeof openApiDocument>
    expect(rest).toEqual(expected)
    expect(Object.keys(paths)).toEqual(Object.keys(known))
    expect((await page("/docs/openapi.json")).body).toBe(first.body)
  })
})

describe("/docs", () => {
  it("is a page without a key that shows the document and loads nothing from elsewhere", async () => {
    const { body, headers, status } = await page("/docs")
    expect(status).toBe(200)
    expect(headers["content-type"]).toBe("text/html; charset=utf-8")
    expect(headers["x-content-type-options"]).toBe("nosniff")
    expect(headers["x-frame-options"]).toBe("DENY")
    expect(headers["content-security-policy"]).toMatch(/^default-src 'none';.*connect-src 'self';.*frame-ancestors 'none'$/)
    expect(body).toMatch(/^\s*<!DOCTYPE html>/i)
    expect(body).toContain("/execute")
    // Tags that make a browser fetch something when the page is opened.
    const tags = body.match(/<(?:script|link|img|iframe)\b[^>]*>/gi) ?? []
    const fetched = tags.filter((tag) => /\b(?:src|href)\s*=\s*["']?(?!data:|#)/i.test(tag))
    expect(fetched).toEqual([])
  })
})

describe("the example in the document", () => {
  const shownBy = async (service: typeof testService.service) => {
    const response = await service.fetch(seamRequest("GET", "/docs/openapi.json"))
    return (JSON.parse(String(response?.body)) as ShownDocument).paths
  }
  const exampleOf = (operation: ShownOperation | undefined, name: string): unknown =>
    operation?.parameters.find((parameter) => parameter.name === name)?.example

  it("is of a deployed program, and runs unchanged", async () => {
    const paths = await shownBy(testService.service)
    const programId = exampleOf(paths["/execute"]?.get, "execProgramId")
    expect([testService.execProgramId, testService.tallyProgramId]).toContain(programId)
    const headers = { authorization: `Bearer ${testService.key}` }
    const ran = await testService.service.fetch(seamRequest("GET", `/execute?execProgramId=${String(programId)}`, { headers }))
    expect(ran?.status).toBe(200)
    expect(String(ran?.body)).toContain(`"drId":"${String(exampleOf(paths["/data-request-reports"]?.get, "drId"))}"`)
  })

  it.each(["/execute", "/feeds", "/tickets"])("of POST %s is accepted unchanged", async (path) => {
    const paths = await shownBy(testService.service)
    const body = JSON.stringify(paths[path]?.post.requestBody?.content["application/json"].example)
    const headers = { authorization: `Bearer ${testService.key}`, "content-type": "application/json" }
    const answer = await testService.service.fetch(seamRequest("POST", path, { headers, body }))
    expect([200, 201], String(answer?.body)).toContain(answer?.status)
  })

  it("is the service's own choice if that program is deployed, with its inputs in query and body", async () => {
    const execInputs = { id: "x", output_format: "json" }
    const missing = { execProgramId: "ab".repeat(32) }
    const other = await openTestService({
      options: { exampleRequests: [missing, { execProgramId: testService.tallyProgramId, execInputs }] }
    })
    const paths = await shownBy(other.service)
    const get = paths["/execute"]?.get
    const shown = ["execProgramId", "execInputs", "encoding"].map((name) => exampleOf(get, name))
    expect(shown).toEqual([testService.tallyProgramId, JSON.stringify(execInputs), "json"])
    const body = paths["/execute"]?.post.requestBody?.content["application/json"].example
    expect(body).toEqual({ execProgramId: testService.tallyProgramId, execInputs })
    const headers = { authorization: `Bearer ${other.key}` }
    const ran = await other.service.fetch(seamRequest("POST", "/execute", { headers, body: JSON.stringify(body) }))
    expect(String(ran?.body)).toContain(`"drId":"${String(exampleOf(paths["/data-request-reports"]?.get, "drId"))}"`)
    await other.service.dispose()
  })
})

describe.each(["/docs", "/docs/openapi.json", "/docs/asyncapi.json", "/docs/websocket", "/docs/errors"])("%s", (path) => {
  const ask = async (headers: Readonly<Record<string, string>>, method = "GET") => {
    const response = await testService.service.fetch(seamRequest(method, path, { headers }))
    if (response === undefined) throw new Error(`nothing at ${path}`)
    return response
  }

  it("is compressed for clients that accept that, and has a Vary header", async () => {
    const plain = await ask({})
    const small = await ask({ "accept-encoding": "br, gzip" })
    expect(plain.headers["content-encoding"]).toBeUndefined()
    expect([plain.headers["vary"], small.headers["vary"]]).toEqual(["accept-encoding", "accept-encoding"])
    expect(small.headers["content-encoding"]).toBe("gzip")
    expect(small.headers["content-type"]).toBe(plain.headers["content-type"])
    if (typeof small.body === "string") throw new Error("not compressed")
    expect(gunzipSync(small.body).toString("utf8")).toBe(plain.body)
    expect(small.body.length * 2).toBeLessThan(Buffer.byteLength(plain.body))
    const head = await ask({ "accept-encoding": "gzip" }, "HEAD")
    expect([head.body, head.headers["content-length"]]).toEqual(["", String(small.body.length)])
    expect((await ask({ "accept-encoding": "gzip;q=0" })).headers["content-encoding"]).toBeUndefined()
  })

  it("is not sent again to a client that has it", async () => {
    const { headers } = await ask({})
    const tag = headers["etag"] ?? ""
    expect(tag).toMatch(/^W\/"[0-9a-f]{32}"$/)
    expect(headers["cache-control"]).toBe("public, no-cache")
    for (const known of [tag, tag.slice(2), `"other", ${tag}`, "*"]) {
      const again = await ask({ "if-none-match": known })
      expect([known, again.status, again.body, again.headers["etag"]]).toEqual([known, 304, "", tag])
    }
    expect((await ask({ "if-none-match": `"other"` })).status).toBe(200)
  })
})
