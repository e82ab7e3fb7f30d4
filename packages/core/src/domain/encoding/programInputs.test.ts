/** A client's input becomes the intended bytes, or a refusal with a reason (decision D5). */
import { Either } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { fromUtf8, toBase64, toHex, toUtf8 } from "./bytes.ts"
import { type Json, readJson } from "./losslessJson.ts"
import { type InputEncoding, inputBytesOf } from "./programInputs.ts"

const jsonOf = (text: string): Json => {
  const read = readJson(text)
  if (!read.ok) throw new Error(read.fault.message)
  return read.value
}

const ruleOf = (value: Json, encoding: InputEncoding = "auto"): string | undefined =>
  Either.match(inputBytesOf(value, encoding), { onLeft: ({ rule }) => rule, onRight: () => undefined })

const textOf = (value: Json, encoding: InputEncoding = "auto"): string | undefined =>
  Either.match(inputBytesOf(value, encoding), { onLeft: () => undefined, onRight: toUtf8 })

const bytes = fc.uint8Array({ maxLength: 60 })
const encodings = ["auto", "hex", "utf8", "base64"] as const

describe("a text input", () => {
  it("is decoded by its encoding", () => {
    fc.assert(
      fc.property(bytes, (value) => {
        const same = (text: string, encoding: InputEncoding) => expect(inputBytesOf(text, encoding)).toEqual(Either.right(value))
        same(`0x${toHex(value)}`, "auto")
        same(`0x${toHex(value)}`, "hex")
        same(toHex(value).toUpperCase(), "hex")
        same(toBase64(value), "base64")
        same(toBase64(value).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""), "base64")
      })
    )
  })

  it("is UTF-8 with utf8, and with auto unless it starts with 0x", () => {
    fc.assert(
      fc.property(fc.fullUnicodeString({ maxLength: 40 }), fc.constantFrom("", "0x", "0X"), (text, prefix) => {
        const given = prefix + text
        expect(inputBytesOf(given, "utf8")).toEqual(Either.right(fromUtf8(given)))
        if (!given.startsWith("0x")) expect(inputBytesOf(given, "auto")).toEqual(Either.right(fromUtf8(given)))
      })
    )
  })

  it("is refused if it is no Unicode, which no bytes of UTF-8 mean; within an object, JSON escapes it", () => {
    for (const encoding of ["auto", "utf8"] as const) {
      for (const text of ["\ud800", "a\udc00b", "\udc00\ud800"]) expect(ruleOf(text, encoding)).toMatch(/well-formed Unicode/)
      expect(textOf("\ud83d\ude00", encoding)).toBe("\u{1f600}")
    }
    expect(textOf(jsonOf('{"a":"\\ud800"}'))).toBe('{"a":"\\ud800"}')
  })

  it("is refused if it is invalid in its encoding", () => {
    expect(ruleOf("0xabc")).toMatch(/hex/)
    expect(ruleOf("0xzz")).toMatch(/hex/)
    expect(ruleOf("abc", "hex")).toMatch(/hex/)
    expect(ruleOf("A", "base64")).toMatch(/base64/)
    expect(ruleOf("%", "base64")).toMatch(/base64/)
  })
})

describe("an object or list", () => {
  it("becomes compact JSON in the order of its keys, whatever the encoding", () => {
    const text = '{ "10": 1, "2": [ 1.50, -0, 1e2 ], "b": null, "a": {"z":true,"1":"\\u00e9"} }'
    for (const encoding of encodings) {
      expect(textOf(jsonOf(text), encoding)).toBe('{"10":1,"2":[1.5,0,100],"b":null,"a":{"z":true,"1":"é"}}')
    }
  })

  it("has the bytes of JSON.stringify, except for the order of integer-like keys", () => {
    const key = fc.string({ maxLength: 5 }).filter((name) => !/^[0-9]+$/.test(name) && name !== "__proto__")
    const value = fc.jsonValue({ maxDepth: 2 }).filter((json) => !/"(?:[0-9]+|__proto__)":/.test(JSON.stringify(json)))
    const posted = fc.oneof(fc.dictionary(key, value), fc.array(value))
    fc.assert(
      fc.property(posted, fc.constantFrom(0, 1, 4), (object, indent) => {
        const text = JSON.stringify(object)
        const read = jsonOf(JSON.stringify(object, undefined, indent))
        fc.pre(ruleOf(read) === undefined)
        expect(textOf(read)).toBe(text)
        // The same request as text in a query has the same bytes.
        expect(inputBytesOf(text, "auto")).toEqual(inputBytesOf(read, "hex"))
      }),
      { numRuns: 1_000 }
    )
  })

  it("is refused if it has an integer that a double cannot hold, which is named, at any depth", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 69n), max: 2n ** 69n }), fc.nat(3), (integer, depth) => {
        const text = '[{"a":'.repeat(depth) + `[${integer}]` + "}]".repeat(depth)
        const lost = JSON.stringify(Number(integer)) !== String(integer)
        expect(ruleOf(jsonOf(text))?.includes(String(integer)) ?? false).toBe(lost)
      }),
      { numRuns: 1_000 }
    )
    expect(ruleOf(jsonOf("[1e400]"))).toContain("1e400")
    expect(ruleOf(jsonOf(`[${"9".repeat(5_000)}]`))?.length).toBeLessThan(300)
    // 2^64 fits a double, but a double-based reader prints it back as 18446744073709552000.
    for (const text of ["9007199254740993", "18446744073709551616", "1000000000000000000001"]) {
      expect(ruleOf(jsonOf(`[${text}]`)), text).toContain(`the number ${text} `)
    }
    for (const text of ["9007199254740992", "39773603681516970", "-0", "1000000000000000000000", "0.1", "1e300", "-1.0"]) {
      expect(ruleOf(jsonOf(`[${text}]`)), text).toBeUndefined()
    }
  })
})

describe("anything else", () => {
  it("is no input, except an absent one, which is empty", () => {
    for (const value of [undefined, null]) {
      for (const encoding of encodings) expect(inputBytesOf(value, encoding)).toEqual(Either.right(new Uint8Array()))
    }
    for (const text of ["1", "true", "false"]) expect(ruleOf(jsonOf(text))).toMatch(/string, an object or a list/)
  })
})
