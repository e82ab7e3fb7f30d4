/** Responses are written as `JSON.stringify` writes them, and raw parts are embedded unchanged. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { RawJson, type ResponseValue, writeResponse } from "./responseJson.ts"

/** Any response without raw parts. */
const plain = fc.letrec<{ value: ResponseValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: "value" },
    fc.constantFrom(null, true, false, 0, -1.5, Number.NaN),
    fc.string({ unit: "binary" }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.string(), fc.option(tie("value"), { nil: undefined }), { maxKeys: 5 })
  )
})).value

/** Replaces some values by raw parts: their own JSON text, with spaces that only raw text has. */
const withRaw = (value: ResponseValue, every: () => boolean): ResponseValue => {
  if (every()) return new RawJson(` ${JSON.stringify(value)} `)
  if (value === null || typeof value !== "object" || value instanceof RawJson) return value
  if (Array.isArray(value)) return value.map((item: ResponseValue) => withRaw(item, every))
  return Object.fromEntries(
    Object.entries(value as { readonly [name: string]: ResponseValue | undefined }).map(([name, member]) => [
      name,
      member === undefined ? undefined : withRaw(member, every)
    ])
  )
}

describe("a response", () => {
  it("without raw parts equals JSON.stringify, without undefined members", () => {
    fc.assert(
      fc.property(plain, (value) => {
        expect(writeResponse(value)).toBe(JSON.stringify(value))
      })
    )
  })

  it("with raw parts anywhere contains their text unchanged, and has the same value", () => {
    fc.assert(
      fc.property(plain, fc.infiniteStream(fc.boolean()), (value, choices) => {
        const raw = withRaw(value, () => choices.next().value === true)
        const text = writeResponse(raw)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      })
    )
    expect(writeResponse({ a: 1, b: [new RawJson("1.10"), null], c: { d: new RawJson("{ }"), e: undefined } })).toBe(
      '{"a":1,"b":[1.10,null],"c":{"d":{ }}}'
    )
  })

  it("may contain any text beside raw parts, even their placeholder", () => {
    const text = `${new RawJson("1").toJSON()}"`
    expect(writeResponse({ a: text })).toBe(JSON.stringify({ a: text }))
    expect(writeResponse([text, new RawJson("1.0")])).toBe(`[${JSON.stringify(text)},1.0]`)
  })

  it("keeps every digit and the key order of a raw part", () => {
    const text = '{"z":123456789012345678901234567890,"a":0.1000}'
    expect(writeResponse({ data: { result: new RawJson(text) } })).toBe(`{"data":{"result":${text}}}`)
  })
})
