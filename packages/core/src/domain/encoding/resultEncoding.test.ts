/** A result is shown in the requested encoding, and as JSON without changing a digit (decision D3). */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { fromUtf8, toHex, toUtf8, toUtf8Lossy } from "./bytes.ts"
import { readJson } from "./losslessJson.ts"
import { RawJson, writeResponse } from "./responseJson.ts"
import { encodeResult, type ResultEncoding } from "./resultEncoding.ts"

const bytes = fc.oneof(fc.uint8Array({ maxLength: 60 }), fc.json().map(fromUtf8), fc.fullUnicodeString().map(fromUtf8))

const encoding = fc.constantFrom<ResultEncoding>("hex", "base64", "utf8", "json")

describe("encodeResult", () => {
  it("shows hex with 0x, base64, and text with replacement characters", () => {
    fc.assert(
      fc.property(bytes, (result) => {
        expect(encodeResult(result, "hex")).toBe(`0x${toHex(result)}`)
        expect(encodeResult(result, "base64")).toBe(Buffer.from(result).toString("base64"))
        expect(encodeResult(result, "utf8")).toBe(toUtf8Lossy(result))
      })
    )
    expect(encodeResult(Uint8Array.of(0xff, 0x41), "utf8")).toBe("\ufffdA")
  })

  it("embeds JSON unchanged and shows anything else as hex", () => {
    fc.assert(
      fc.property(bytes, (result) => {
        const text = toUtf8(result)
        const shown = encodeResult(result, "json")
        if (text !== undefined && readJson(text).ok) expect(shown).toEqual(new RawJson(text))
        else expect(shown).toBe(`0x${toHex(result)}`)
      })
    )
  })

  it("changes no digit and no key order in a response", () => {
    const text = '{"2": 1.10, "1": 123456789012345678901234567890, "a":1E5}'
    expect(writeResponse({ result: encodeResult(fromUtf8(text), "json") })).toBe(`{"result":${text}}`)
  })

  it("never lets result bytes change the structure of the response", () => {
    fc.assert(
      fc.property(bytes, encoding, (result, asked) => {
        const response = JSON.parse(writeResponse({ before: 1, result: encodeResult(result, asked), after: 2 })) as object
        expect(Object.keys(response)).toEqual(["before", "result", "after"])
      })
    )
  })
})

describe("writeResponse", () => {
  it("equals JSON.stringify if no part is raw JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(writeResponse(value)).toBe(JSON.stringify(value))
      })
    )
    expect(writeResponse({ a: undefined, b: [null, true] })).toBe('{"b":[null,true]}')
  })
})
