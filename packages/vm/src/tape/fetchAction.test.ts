/** Decoding requests as programs write them. */
import fc from "fast-check"
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

describe("what an action says", () => {
  const actions = fc.oneof(
    fc.uint8Array({ maxLength: 64 }),
    fc
      .record({ url: fc.webUrl(), options: fc.record({ method: fc.string(), body: fc.array(fc.nat(255)) }, { requiredKeys: [] }) })
      .map((action) => new TextEncoder().encode(JSON.stringify(action)))
  )

  it("is remembered, and says the same wherever its bytes are", () => {
    fc.assert(
      fc.property(actions, fc.nat(8), (action, offset) => {
        const elsewhere = new Uint8Array(action.length + 16).subarray(offset, offset + action.length)
        elsewhere.set(action)
        const reading = decodeFetchAction(action)
        expect(decodeFetchAction(elsewhere)).toBe(reading)
      })
    )
  })

  it("does not depend on what was read before, remembered or not", () => {
    const withBody = (length: number, last: number): string =>
      `{"url":"https://a.example/x","options":{"body":[${[...Array.from({ length }, () => 0), last].join(",")}]}}`
    // The longer ones are not remembered.
    for (const length of [10, 5_000]) {
      for (const last of [1, 2, 1]) {
        const body = new Uint8Array(length + 1)
        body[length] = last
        expect(decode(withBody(length, last))).toEqual({ ...plain, body })
      }
    }
  })

  it("is still right after many others", () => {
    const addressOf = (at: number): string => `https://a.example/${at}`
    for (let round = 0; round < 2; round += 1) {
      for (let at = 0; at < 2_000; at += 1) expect(decode(JSON.stringify({ url: addressOf(at) }))).toEqual({ ...plain, url: addressOf(at) })
    }
  })
})
