/** The answers that programs parse: always JSON, and always with the original bytes. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { FetchAnswer } from "./tape.ts"
import { failedFetch, fetchPromiseJson, promiseJson, refusedFetchJson } from "./promiseJson.ts"

const textOf = (bytes: Uint8Array): string => new TextDecoder("utf-8", { fatal: true }).decode(bytes)

const answer: fc.Arbitrary<FetchAnswer> = fc.record({
  fulfilled: fc.boolean(),
  status: fc.integer({ min: 0, max: 599 }),
  headers: fc.array(fc.tuple(fc.string(), fc.fullUnicodeString()), { maxLength: 4 }),
  bytes: fc.uint8Array({ maxLength: 300 }),
  url: fc.string(),
  contentLength: fc.nat()
})

describe("a promise", () => {
  it("is the JSON of the bytes it holds", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.boolean(), (bytes, fulfilled) => {
        expect(textOf(promiseJson(fulfilled, bytes))).toBe(JSON.stringify({ [fulfilled ? "Fulfilled" : "Rejected"]: [...bytes] }))
      })
    )
  })

  it("around a response is the JSON of the bytes of its JSON, whatever bytes it has", () => {
    fc.assert(
      fc.property(answer, (given) => {
        const { bytes, contentLength, fulfilled, status, url } = given
        const response = { bytes: [...bytes], content_length: contentLength, headers: {}, status, url }
        const inner = new TextEncoder().encode(JSON.stringify(response))
        const plain = { ...given, headers: [] }
        expect(textOf(fetchPromiseJson(plain))).toBe(JSON.stringify({ [fulfilled ? "Fulfilled" : "Rejected"]: [...inner] }))
      })
    )
  })

  it("around a response has its keys in alphabetical order and joins the values of a repeated header", () => {
    fc.assert(
      fc.property(answer, (given) => {
        const outer = JSON.parse(textOf(fetchPromiseJson(given))) as Readonly<Record<string, ReadonlyArray<number>>>
        const inner = outer[given.fulfilled ? "Fulfilled" : "Rejected"] ?? []
        const names = [...new Set(given.headers.map(([name]) => name))]
        const response = textOf(Uint8Array.from(inner))
        expect(Object.keys(JSON.parse(response) as object)).toEqual(["bytes", "content_length", "headers", "status", "url"])
        const read = JSON.parse(response) as Readonly<Record<string, unknown>>
        expect([read["bytes"], read["content_length"], read["status"], read["url"]]).toEqual([
          [...given.bytes],
          given.contentLength,
          given.status,
          given.url
        ])
        const joined = names.map((name) => [
          name,
          given.headers
            .filter((header) => header[0] === name)
            .map(([, value]) => value)
            .join(", ")
        ])
        expect(new Map(Object.entries(read["headers"] as object))).toEqual(new Map(joined.map(([name, value]) => [name, value])))
      })
    )
  })

  it("reports a failed request by its text alone", () => {
    expect(failedFetch("nope é")).toEqual({
      fulfilled: false,
      status: 0,
      headers: [],
      bytes: new TextEncoder().encode("nope é"),
      url: "",
      contentLength: 7
    })
  })

  it("has the lengths that tally programs pay for", () => {
    expect(refusedFetchJson("http_fetch is not allowed in tally")).toHaveLength(621)
    expect(refusedFetchJson("proxy_http_fetch is not allowed in tally")).toHaveLength(690)
  })
})
