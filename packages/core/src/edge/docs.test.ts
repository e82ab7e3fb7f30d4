/** The documentation that a service serves of itself: whole, offline, and the contract's own (decision D20). */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openWorld, seamRequest } from "../testdata/world.ts"
import { openApiDocument } from "./docs.ts"

let world: Awaited<ReturnType<typeof openWorld>>

beforeAll(async () => {
  world = await openWorld()
})

afterAll(() => world.service.dispose())

const page = async (path: string) => {
  const response = await world.service.fetch(seamRequest("GET", path))
  if (response === undefined || typeof response.body !== "string") throw new Error(`nothing at ${path}`)
  return { ...response, body: response.body }
}

describe("/docs/openapi.json", () => {
  it("is the contract's document, without a key, and the same every time", async () => {
    const first = await page("/docs/openapi.json")
    expect(first.status).toBe(200)
    expect(first.headers["content-type"]).toMatch(/^application\/json/)
    expect(JSON.parse(first.body)).toEqual(JSON.parse(JSON.stringify(openApiDocument())))
    expect((await page("/docs/openapi.json")).body).toBe(first.body)
  })
})

describe("/docs", () => {
  it("is a page without a key that shows the document and loads nothing from elsewhere", async () => {
    const { body, headers, status } = await page("/docs")
    expect(status).toBe(200)
    expect(headers["content-type"]).toBe("text/html; charset=utf-8")
    expect(body).toMatch(/^\s*<!DOCTYPE html>/i)
    expect(body).toContain("/execute")
    // Tags that make a browser fetch something when the page is opened.
    const tags = body.match(/<(?:script|link|img|iframe)\b[^>]*>/gi) ?? []
    const fetched = tags.filter((tag) => /\b(?:src|href)\s*=\s*["']?(?!data:|#)/i.test(tag))
    expect(fetched).toEqual([])
  })
})
