/** The page of errors has every error that there is, each with an example that its documented schema accepts. */
import { Either, Schema } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { closeCodes } from "../../contract/closeCodes.ts"
import * as Errors from "../../contract/errors.ts"
import { schemaBreaches } from "../../testdata/openApiAnswers.ts"
import { openTestService, seamRequest, type TestService } from "../../testdata/testService.ts"
import type { Service } from "../transport/seam.ts"
import { failureOutcome } from "../ws/rpcView.ts"
import { closeFacts, errorFacts, upgradeFacts } from "./asyncApiFacts.ts"
import { errorKind } from "./asyncApiMessages.ts"
import { openApiDocument } from "./docs.ts"
import { commandExits, runExits } from "./endingFacts.ts"
import { errorEntries } from "./errorEntries.ts"

const spec = openApiDocument()
const entries = errorEntries(spec)
const inRest = new Set(Object.keys(spec.components.schemas))
const wires = new Map<string, Schema.Schema.AnyNoContext>(Object.entries(Errors).map(([tag, { wire }]) => [tag, wire]))
const entryOf = (tag: string) => entries.find((entry) => entry.tag === tag)

describe("the entries", () => {
  it("are all errors of the contract and of the WebSocket interface, once each", () => {
    const tags = entries.map(({ tag }) => tag)
    expect(new Set(tags).size).toBe(tags.length)
    expect(tags.toSorted()).toEqual([...new Set([...Object.keys(Errors), ...errorFacts.map(({ tag }) => tag)])].toSorted())
  })

  it("have a status where they are sent over HTTP and a code where they are sent over WebSocket", () => {
    for (const { rpcCode, status, tag, where } of entries) {
      expect(where.length, tag).toBeGreaterThan(0)
      if (inRest.has(tag) || upgradeFacts.some((fact) => fact.tag === tag)) expect(status, tag).toBeDefined()
      expect(rpcCode, tag).toBe(errorFacts.find((fact) => fact.tag === tag)?.code)
    }
    expect(entryOf("MethodNotFound")).toMatchObject({ where: ["messages of a WebSocket"], rpcCode: 32601 })
    expect(entryOf("MethodNotFound")?.status).toBeUndefined()
    expect(entryOf("Unauthorized")).toMatchObject({ where: ["every request that needs a key", "opening a WebSocket"], status: 401 })
    expect(entryOf("InternalError")?.where).toEqual(["every request", "messages of a WebSocket"])
    expect(entryOf("IdempotencyKeyReused")?.where).toEqual(["POST /execute"])
    expect(entryOf("HeadTooLarge")).toMatchObject({ where: ["requests outside of the operations"], status: 431 })
    expect(entryOf("FailedExecutionResponse")).toMatchObject({ status: 599, rpcCode: 36001 })
  })

  it("have examples that the documented schemas accept", () => {
    for (const { http, rpc, status, tag } of entries) {
      expect(http === undefined && rpc === undefined, tag).toBe(false)
      if (http !== undefined) {
        expect([http.status, http.body["_tag"]], tag).toEqual([status, tag])
        if (inRest.has(tag)) expect(schemaBreaches(tag, http.body), tag).toEqual([])
        else expect(Schema.is(wires.get(tag) ?? Schema.Undefined)(http.body), tag).toBe(true)
      }
      if (rpc !== undefined) {
        const read = Schema.decodeUnknownEither(errorKind.schema, { onExcessProperty: "error" })(rpc)
        expect(Either.isRight(read), `${tag} ${Either.isLeft(read) ? String(read.left) : ""}`).toBe(true)
      }
    }
    expect(schemaBreaches("Overloaded", entryOf("Unavailable")?.http?.body)).not.toEqual([])
  })

  it("show messages as the interface writes them", () => {
    for (const error of Object.values(Errors)) {
      const failure = new error(error.meaning.example)
      const entry = entryOf(failure._tag)
      if (entry?.rpc !== undefined) expect(entry.rpc).toEqual({ jsonrpc: "2.0", id: "1", ...failureOutcome(failure) })
    }
  })
})

describe("the page", () => {
  let testService: TestService & { readonly service: Service }
  let page: string
  beforeAll(async () => {
    testService = await openTestService()
    page = String((await testService.service.fetch(seamRequest("GET", "/docs/errors")))?.body)
  })
  afterAll(() => testService.service.dispose())

  it("shows every error with cause, cure and example, every close code and every exit code", () => {
    const html = (text: string): string =>
      text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")
    for (const { cause, cure, http, rpc, tag } of entries) {
      const start = page.indexOf(`<h3 id="${tag}">`)
      const part = page.slice(start, page.indexOf("</pre>", start))
      expect(start, tag).toBeGreaterThan(0)
      expect(part).toContain(html(`${cause}.`))
      expect(part).toContain(html(`${cure}.`))
      expect(part).toContain(html(JSON.stringify(http?.body ?? rpc, null, 2)))
    }
    for (const { code, cure, when } of closeFacts)
      expect(page).toContain(`<tr><td><code>${code}</code></td><td>${html(when)}</td><td>${html(cure)}</td></tr>`)
    for (const { cause, cure } of [...runExits, ...commandExits]) for (const text of [cause, cure]) expect(page).toContain(html(text))
    expect(closeFacts.map(({ code }) => code)).toEqual(expect.arrayContaining(Object.values(closeCodes)))
  })

  it("is one file without outside assets, its anchors exist, and its tags are closed", () => {
    expect(page).not.toMatch(/<script|<link|<img|@import|url\(|https?:\/\//)
    const anchors = [...page.matchAll(/href="#(\w+)"/g)].map(([, id]) => id)
    expect(anchors.length).toBeGreaterThan(entries.length)
    for (const id of anchors) expect(page).toContain(`id="${id}"`)
    const count = (pattern: RegExp): number | undefined => page.match(pattern)?.length
    expect(count(/<(section|table|div|p|pre|h2|h3|b|a)[ >]/g)).toBe(count(/<\/(section|table|div|p|pre|h2|h3|b|a)>/g))
  })

  it("is linked from the documents and the other pages", async () => {
    const linked = async (path: string) => String((await testService.service.fetch(seamRequest("GET", path)))?.body)
    expect(await linked("/docs/openapi.json")).toContain("(../docs/errors)")
    expect(await linked("/docs")).toContain("(./docs/errors)")
    expect(await linked("/docs/websocket")).toContain(`href="errors"`)
    expect(await linked("/docs/asyncapi.json")).toContain("on the page errors beside this document")
  })
})
