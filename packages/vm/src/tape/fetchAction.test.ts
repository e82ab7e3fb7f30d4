/** Decoding requests as programs write them. */
import { describe, expect, it } from "vitest"
import { decodeFetchAction, type FetchAction, maxActionHeaders } from "./fetchAction.ts"
import { maxJsonDepth } from "./json.ts"

const decode = (text: string): FetchAction | string | undefined => {
  const reading = decodeFetchAction(new TextEncoder().encode(text))
  return reading.kind === "request" ? reading.request : reading.kind === "refused" ? reading.message : undefined
}

const plain: FetchAction = {
  url: "https://a.example/x",
  method: "GET",
  headers: [],
  body: new Uint8Array(),
  timeoutMs: undefined,
  publicKey: undefined
}

describe("a request", () => {
  it("is decoded as the Rust SDK writes it", () => {
    expect(
      decode('{"url":"https://a.example/x","options":{"method":"Post","headers":{"a":"b","C":"d"},"body":[1,255],"timeout_ms":1500}}')
    ).toEqual({
      ...plain,
      method: "POST",
      headers: [
        ["a", "b"],
        ["C", "d"]
      ],
      body: Uint8Array.of(1, 255),
      timeoutMs: 1_500
    })
    expect(decode('{"url":"https://a.example/x","options":{"method":"Get","headers":{},"body":null,"timeout_ms":null}}')).toEqual(plain)
  })

  it("is decoded as the AssemblyScript SDK writes it: another order, no time-out or a fractional one, an empty body", () => {
    expect(
      decode('{"options":{"timeout_ms":1999.5,"body":[],"headers":{},"method":"get"},"public_key":"02ab","url":"https://a.example/x"}')
    ).toEqual({ ...plain, timeoutMs: 2_000, publicKey: "02ab" })
    expect(decode('{"url":"https://a.example/x","public_key":null}')).toEqual(plain)
  })

  it.each([
    ["no time", "0"],
    ["a negative time", "-5"],
    ["a time that is no number", '"2000"']
  ])("with %s is left to the host", (_, value) => {
    expect(decode(`{"url":"https://a.example/x","options":{"timeout_ms":${value}}}`)).toEqual(plain)
  })

  it.each([
    ["not JSON", '{"url":'],
    ["not an object", "[1]"],
    ["no address", '{"options":{}}'],
    ["an address that is no text", '{"url":1}'],
    ["options that are no object", '{"url":"x","options":[]}'],
    ["a method that is no text", '{"url":"x","options":{"method":1}}'],
    ["a header that is no text", '{"url":"x","options":{"headers":{"a":1}}}'],
    ["a body beyond bytes", '{"url":"x","options":{"body":[256]}}'],
    ["a body of fractions", '{"url":"x","options":{"body":[0.5]}}'],
    ["a key that is no text", '{"url":"x","public_key":1}']
  ])("is none if it has %s", (_, text) => {
    expect(decode(text)).toBeUndefined()
  })

  it("is none if it is not UTF-8", () => {
    expect(decodeFetchAction(Uint8Array.of(0x22, 0xff, 0x22))).toEqual({ kind: "unreadable" })
  })

  it("keeps a header whose name is special for objects", () => {
    expect(decode('{"url":"https://a.example/x","options":{"headers":{"__proto__":"p"}}}')).toMatchObject({
      headers: [["__proto__", "p"]]
    })
  })

  it("has at most 128 headers", () => {
    const withHeaders = (count: number): string => {
      const headers = Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, ""]))
      return JSON.stringify({ url: "https://a.example/x", options: { headers } })
    }
    expect(decode(withHeaders(maxActionHeaders))).toMatchObject({ url: "https://a.example/x" })
    expect(decode(withHeaders(maxActionHeaders + 1))).toBe("the request has more than 128 headers")
  })

  it("nests at most 32 deep, not counting brackets in texts", () => {
    const nested = (depth: number): string => `{"url":"https://a.example/[[\\"[[[","more":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`
    expect(decode(nested(maxJsonDepth))).toMatchObject({ url: 'https://a.example/[["[[[' })
    expect(decode(nested(maxJsonDepth + 1))).toBe("the action nests deeper than 32")
    expect(decode("[".repeat(1_000_000))).toBe("the action nests deeper than 32")
  })
})
