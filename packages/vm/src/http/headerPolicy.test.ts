/** The header policy: nothing that a program writes can end a header, change the framing or leak to another origin. */
import { Either } from "effect"
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { acrossOrigins, maxRequestHeaderChars, outgoingHeaders, programHeaders, withoutBodyHeaders } from "./headerPolicy.ts"

const kept = (headers: ReadonlyArray<readonly [string, string]>) =>
  Either.match(programHeaders(headers), { onLeft: (text) => text, onRight: (map) => Object.fromEntries(map) })

describe("programHeaders", () => {
  test.each(["a\r\nb", "a\nb", "a\rb", "a\0b", "a\u2028b", "a\u0001b", "\u007f", "漢", "😀"])("refuses the value %j", (value) => {
    expect(kept([["x-a", value]])).toBe("the value of header x-a has a forbidden character")
  })

  test.each(["", " ", "a b", "a:b", "a\r\n", "a\0", "ä", "(a)", "a,b", '"a"'])("refuses the name %j", (name) => {
    expect(kept([[name, "1"]])).toBe("a header name is not a token")
  })

  test("omits connection headers, lower-cases names and keeps the last of equal names", () => {
    expect(
      kept([
        ["HOST", "x"],
        ["Content-LENGTH", "0"],
        ["transfer-encoding", "chunked"],
        ["Connection", "close"],
        ["TE", "x"],
        ["X-A", "1"],
        ["x-a", " 2 "],
        ["Authorization", "b"]
      ])
    ).toEqual({ "x-a": "2", authorization: "b" })
  })

  test("refuses headers beyond the limit", () => {
    expect(kept([["x-a", "a".repeat(maxRequestHeaderChars - 3)]])).toHaveProperty("x-a")
    expect(kept([["x-a", "a".repeat(maxRequestHeaderChars - 2)]])).toBe("the headers are larger than 32768 bytes")
  })

  test("accepts nothing that could end a header", () => {
    const anyText = fc.oneof(fc.string(), fc.fullUnicodeString(), fc.constantFrom("\r\n", "a\r\nHost: b", "\0"))
    fc.assert(
      fc.property(fc.array(fc.tuple(anyText, anyText)), (headers) => {
        const outcome = kept(headers)
        if (typeof outcome === "string") return
        for (const [name, value] of Object.entries(outcome)) {
          expect(name).toMatch(/^[!-9;-~]+$/)
          expect(value).toMatch(/^[\t\x20-\x7e\x80-\xff]*$/)
          expect(["host", "content-length", "transfer-encoding", "connection"]).not.toContain(name)
        }
      }),
      { numRuns: 1_000 }
    )
  })
})

test("across origins no header survives that may be a credential", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z-]{1,20}$/), fc.constant("x")), (headers) => {
      const harmless = ["accept", "accept-language", "content-language", "content-type", "user-agent"]
      for (const name of acrossOrigins(new Map(Object.entries(headers))).keys()) expect(harmless).toContain(name)
    })
  )
  const names = ["authorization", "cookie", "x-api-key", "accept", "content-type"]
  const all = new Map(names.map((name) => [name, "x"]))
  expect([...acrossOrigins(all).keys()]).toEqual(["accept", "content-type"])
  expect([...withoutBodyHeaders(all).keys()]).toEqual(["authorization", "cookie", "x-api-key", "accept"])
})

test("outgoing headers: framing overrides the operator's, which override the program's, which override ours", () => {
  const program = new Map([
    ["x-key", "program"],
    ["accept", "text/plain"]
  ])
  const operator = [
    ["x-key", "operator"],
    ["host", "operator"]
  ] as const
  expect(outgoingHeaders(program, operator, "a.test:8080", 3)).toEqual({
    accept: "text/plain",
    "user-agent": "sibyl",
    "x-key": "operator",
    "accept-encoding": "identity",
    host: "a.test:8080",
    "content-length": "3"
  })
  expect(outgoingHeaders(new Map(), [], "a.test", undefined)).not.toHaveProperty("content-length")
})
