/** The WebSocket documentation matches the service, is consistent, and its example is a possible session. */
import { Either, Schema } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { webSocketPath } from "../../contract/rpc.ts"
import { defaultLimits } from "../../domain/settings/limits.ts"
import { openTestService, seamRequest, type TestService } from "../../testdata/testService.ts"
import { asyncApiDocument, type JsonObject } from "./asyncApi.ts"
import { closeFacts, errorFacts, parameterMeanings } from "./asyncApiFacts.ts"
import { errorKind, methodKinds, notificationKinds } from "./asyncApiMessages.ts"
import { exampleSession } from "./asyncApiSession.ts"
import { closeCodes } from "../../contract/closeCodes.ts"
import { readRpcMessage } from "../ws/rpcMessage.ts"
import type { Peer, Service, Socket } from "../transport/seam.ts"

const document = asyncApiDocument(defaultLimits)
const methods = methodKinds(defaultLimits)
const kinds = [...methods.flatMap(({ reply, request }) => [request, reply]), errorKind, ...notificationKinds]

/** Every object of a JSON value, the value itself included. */
const objectsIn = (value: unknown): ReadonlyArray<JsonObject> => {
  if (typeof value !== "object" || value === null) return []
  const inside = Object.values(value).flatMap(objectsIn)
  return Array.isArray(value) ? inside : [value as JsonObject, ...inside]
}

/** The value at a path of names. */
const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((inner, name) => (inner as JsonObject | undefined)?.[name], value)

const referred = (pointer: string): unknown => at(document, ...pointer.slice("#/".length).split("/"))

describe("the AsyncAPI document", () => {
  it("is version 3 and has what that version requires", () => {
    expect(document).toMatchObject({
      asyncapi: "3.0.0",
      info: { title: expect.any(String), version: expect.any(String) },
      channels: { feeds: { address: webSocketPath } },
      components: { securitySchemes: { apiKey: { type: "http", scheme: "bearer" } } }
    })
    for (const operation of Object.values(at(document, "operations") as JsonObject)) {
      expect(operation).toMatchObject({
        action: expect.stringMatching(/^(send|receive)$/),
        channel: { $ref: "#/channels/feeds" }
      })
    }
    expect(Object.keys(at(document, "operations") as JsonObject)).toEqual([
      "feed.execute",
      "feed.start",
      "feed.stop",
      "feed.follow",
      "authorized",
      "feed.result",
      "feed.gap",
      "feed.ended"
    ])
  })

  it("has no dangling reference, and none with siblings, which draft 7 would ignore", () => {
    const references = objectsIn(document).filter((object) => "$ref" in object)
    expect(references.length).toBeGreaterThan(30)
    for (const reference of references) {
      expect(Object.keys(reference), JSON.stringify(reference)).toEqual(["$ref"])
      expect(referred(String(reference["$ref"])), String(reference["$ref"])).toBeDefined()
    }
  })

  it("allows further members everywhere, as the service does", () => {
    const closed = objectsIn(at(document, "components", "schemas")).filter((object) => object["additionalProperties"] === false)
    expect(closed).toEqual([])
  })

  it("states the purpose and the rule of each parameter", () => {
    const schemas = at(document, "components", "schemas")
    for (const name of ["ExecuteParams", "FeedStartParams"]) {
      const properties = at(schemas, name, "properties") as JsonObject
      for (const [parameter, schema] of Object.entries(properties)) {
        expect(parameterMeanings[parameter], parameter).toEqual(expect.any(String))
        expect("$ref" in (schema as JsonObject) || at(schema, "description"), parameter).toBeTruthy()
      }
    }
    expect(at(schemas, "ExecuteParams", "required")).toEqual(["execProgramId"])
    expect(at(schemas, "FeedStartParams", "properties", "periodicityMs")).toMatchObject({
      type: "integer",
      minimum: defaultLimits.minPeriodMs,
      maximum: defaultLimits.maxPeriodMs
    })
  })

  it("shows the limits of its own service", () => {
    const tight = asyncApiDocument({ ...defaultLimits, feedsPerConnection: 7, minPeriodMs: 1_234 })
    expect(at(tight, "channels", "feeds", "x-limits")).toContainEqual({ what: "feeds of one connection", value: "7" })
    expect(at(tight, "components", "schemas", "FeedStartParams", "properties", "periodicityMs")).toMatchObject({
      minimum: 1_234
    })
  })

  it("names every code with which a connection is closed", () => {
    expect(closeFacts.map(({ code }) => code)).toEqual(expect.arrayContaining(Object.values(closeCodes)))
  })

  it.each([
    [closeCodes.policy, [/revoked/, /wait to be read/, /refused/, /fragments/]],
    [closeCodes.tryAgainLater, [/too slowly/, /connections/]]
  ])("names each cause of a close with %i, and what to do about it", (code, causes) => {
    const facts = closeFacts.filter((fact) => fact.code === code)
    for (const [at, cause] of causes.entries()) expect(facts[at]?.when).toMatch(cause)
    expect(facts.length).toBe(causes.length)
    expect(new Set(facts.map(({ cure }) => cure)).size).toBe(causes.length)
  })

  it("says of feedId what it is in each method that takes it", () => {
    for (const method of ["feed.stop", "feed.start", "feed.follow"]) expect(parameterMeanings["feedId"]).toContain(method)
    expect(parameterMeanings["feedId"]).toContain("durable feed")
  })
})

describe("the example session", () => {
  it("holds only messages that their own schemas accept", () => {
    expect(exampleSession.length).toBeGreaterThan(5)
    for (const { kind, note, payload } of exampleSession) {
      const schema = kinds.find(({ name }) => name === kind)?.schema
      if (schema === undefined) throw new Error(`no kind ${kind}`)
      const read = Schema.decodeUnknownEither(schema)(payload)
      expect(Either.isRight(read), `${note} ${Either.isLeft(read) ? String(read.left) : ""}`).toBe(true)
    }
  })

  it("sends valid requests and answers each once", () => {
    const asked = exampleSession.filter(({ from }) => from === "client").map(({ payload }) => readRpcMessage(JSON.stringify(payload)))
    expect(asked.filter(Either.isLeft)).toEqual([])
    const ids = (from: string) =>
      exampleSession.filter((step) => step.from === from && "id" in step.payload).map(({ payload }) => payload["id"])
    expect(ids("service")).toEqual(ids("client"))
  })
})

/** A client of a real service over a socket in this process. */
const connect = async (service: Service, key: string): Promise<{ readonly peer: Peer; readonly said: Array<JsonObject> }> => {
  const answer = await service.upgrade(seamRequest("GET", webSocketPath, { headers: { authorization: `Bearer ${key}` } }))
  if (typeof answer !== "function") throw new Error(`refused: ${JSON.stringify(answer)}`)
  const said: Array<JsonObject> = []
  const socket: Socket = {
    sendTexts: (texts) => void said.push(...texts.map((text) => JSON.parse(text) as JsonObject)),
    bufferedAmount: () => 0,
    ping: () => {},
    close: () => {},
    terminate: () => {}
  }
  return { peer: answer(socket), said }
}

describe("against a service", () => {
  let testService: TestService & { readonly service: Service }
  beforeAll(async () => {
    testService = await openTestService()
  })
  afterAll(() => testService.service.dispose())

  /** Sends requests and waits until each is answered. */
  const ask = async (messages: ReadonlyArray<string>): Promise<ReadonlyArray<JsonObject>> => {
    const { peer, said } = await connect(testService.service, testService.key)
    for (const message of messages) peer.message(message)
    await expect.poll(() => said.filter((message) => "id" in message).length).toBe(messages.length)
    peer.closed(1000, "")
    return said
  }

  const request = (method: string, params: unknown, id: unknown = "1"): string => JSON.stringify({ jsonrpc: "2.0", id, method, params })

  it("every error is in the table, and fits the document's error message", async () => {
    const { execProgramId } = testService
    const said = await ask([
      "{",
      "[]",
      request("feed.execute", {}, 7),
      request("feed.other", {}),
      request("feed.execute", {}),
      request("feed.execute", { execProgramId: "0".repeat(64) }),
      request("feed.start", {
        mode: "FIXED",
        periodicityMs: defaultLimits.minPeriodMs - 1,
        execute: { execProgramId }
      }),
      request("feed.stop", { feedId: "none" })
    ])
    const errors = said.filter((message) => "error" in message)
    const known = errorFacts.map(({ code, tag }) => `${code} ${tag}`)
    // Requests that are under way together may be answered in any order.
    expect(errors.map(({ error }) => Number(at(error, "code"))).toSorted((left, right) => left - right)).toEqual([
      32001, 32600, 32600, 32601, 32602, 32602, 32700, 36004
    ])
    for (const message of errors) {
      expect(known).toContain(`${String(at(message, "error", "code"))} ${String(at(message, "error", "_tag"))}`)
      expect(Either.isRight(Schema.decodeUnknownEither(errorKind.schema)(message)), JSON.stringify(message)).toBe(true)
    }
  })

  it("the messages of a session fit the document's, kind by kind", async () => {
    const { peer, said } = await connect(testService.service, testService.key)
    const execute = { execProgramId: testService.execProgramId, includeDebugInfo: true, includeSummary: true }
    peer.message(request("feed.execute", execute, "execute"))
    peer.message(request("feed.start", { mode: "SEQUENTIAL", periodicityMs: 10, execute }, "start"))
    await expect.poll(() => said.filter(({ method }) => method === "feed.result").length).toBeGreaterThan(1)
    peer.message(
      request(
        "feed.stop",
        {
          feedId: at(
            said.find(({ id }) => id === "start"),
            "result",
            "feedId"
          )
        },
        "stop"
      )
    )
    await expect.poll(() => said.some(({ id }) => id === "stop")).toBe(true)
    peer.closed(1000, "")

    const kindOf = ({ id, method }: JsonObject): string =>
      typeof method === "string"
        ? method === "authorized"
          ? "Authorized"
          : "FeedResult"
        : `${id === "execute" ? "Execute" : id === "start" ? "FeedStart" : "FeedStop"}Reply`
    const seen = new Set(said.map(kindOf))
    expect([...seen].toSorted()).toEqual(["Authorized", "ExecuteReply", "FeedResult", "FeedStartReply", "FeedStopReply"])
    for (const message of said) {
      const schema = kinds.find(({ name }) => name === kindOf(message))?.schema
      if (schema === undefined) throw new Error(`no kind for ${JSON.stringify(message)}`)
      const read = Schema.decodeUnknownEither(schema, { onExcessProperty: "error" })(message)
      expect(Either.isRight(read), Either.isLeft(read) ? String(read.left) : "").toBe(true)
    }
  })

  it("serves document and page without a key, linked from the REST documentation", async () => {
    const get = async (path: string) => testService.service.fetch(seamRequest("GET", path))
    const served = await get("/docs/asyncapi.json")
    expect(served).toMatchObject({
      status: 200,
      headers: { "content-type": expect.stringContaining("application/json") }
    })
    expect(JSON.parse(String(served?.body))).toEqual(JSON.parse(JSON.stringify(document)))
    const page = await get("/docs/websocket")
    expect(page).toMatchObject({ status: 200, headers: { "content-type": expect.stringContaining("text/html") } })
    expect(String((await get("/docs/openapi.json"))?.body)).toContain("(../docs/websocket)")
    expect(String((await get("/docs"))?.body)).toContain("(./docs/websocket)")
  })

  it("the page is one file and shows every parameter, error, close code and message of the example", async () => {
    const page = String((await testService.service.fetch(seamRequest("GET", "/docs/websocket")))?.body)
    expect(page).not.toMatch(/<script|<link|<img|@import|url\(|https?:\/\//)
    for (const name of Object.keys(parameterMeanings)) expect(page).toContain(`<code>${name}</code>`)
    for (const { code, tag } of errorFacts) expect(page).toContain(`<td><code>${code}</code></td><td><code>${tag}</code></td>`)
    for (const { code } of closeFacts) expect(page).toContain(`<td><code>${code}</code></td>`)
    expect(page.match(/<pre>/g)).toHaveLength(exampleSession.length)
    const anchors = [...page.matchAll(/href="#([a-z]+)"/g)].map(([, id]) => id)
    for (const id of anchors) expect(page).toContain(`id="${id}"`)
    expect(page.match(/<(section|table|div|p|pre|h2|h3)[ >]/g)?.length).toBe(page.match(/<\/(section|table|div|p|pre|h2|h3)>/g)?.length)
  })
})
