/** The lossless parser accepts what `JSON.parse` accepts with the same meaning, and loses no digit and no key order. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { soakCount } from "@sibyl/testing/soak"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isJsonArray, isJsonObject, type Json, JsonNumber, maxJsonDepth, printJson, readJson } from "./losslessJson.ts"

/** The value that `JSON.parse` would return. */
const plain = (value: Json): unknown => {
  if (value instanceof JsonNumber) return Number(value.digits)
  if (isJsonArray(value)) return value.map(plain)
  if (!isJsonObject(value)) return value
  const object = {}
  for (const [name, member] of value) {
    Object.defineProperty(object, name, { value: plain(member), enumerable: true, configurable: true, writable: true })
  }
  return object
}

const parsed = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

const agrees = (text: string): void => {
  const expected = parsed(text)
  const read = readJson(text)
  expect(read.ok, text).toBe(expected !== undefined)
  if (read.ok) expect(plain(read.value)).toStrictEqual(expected?.value)
}

const nearJson = fc.constantFrom(...'{}[]",:0123456789-+.eE\\/utfnrals \t\n\r\u000b\u00a0\u2028\u0000\ufeff'.split(""))

/** A document with a few characters removed, duplicated, replaced or inserted. */
const mutated = fc
  .tuple(fc.json({ maxDepth: 4 }), fc.array(fc.tuple(fc.nat(), fc.nat(3), nearJson), { maxLength: 4 }))
  .map(([text, changes]) =>
    changes.reduce((now, [where, kind, character]) => {
      const at = where % (now.length + 1)
      const middle = [character, character + now.charAt(at), "", now.charAt(at).repeat(2)][kind] ?? ""
      return now.slice(0, at) + middle + now.slice(at + 1)
    }, text)
  )

const digits = fc.oneof(
  fc.bigInt({ min: -(10n ** 90n), max: 10n ** 90n }).map(String),
  fc
    .tuple(
      fc.constantFrom("", "-"),
      fc.constantFrom("0", "1", "10", "9007199254740993"),
      fc.constantFrom("", ".0", ".10", ".000000000000000000000001"),
      fc.constantFrom("", "e0", "E+05", "e-400", "e999")
    )
    .map((parts) => parts.join(""))
)

const key = fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom("2", "1", "10", "__proto__", "constructor", "", "é", "\ud800"))

const { document } = fc.letrec<{ document: Json; leaf: Json }>((tie) => ({
  leaf: fc.oneof(
    fc.constantFrom(null, true, false),
    fc.fullUnicodeString({ maxLength: 8 }),
    digits.map((text) => new JsonNumber(text))
  ),
  document: fc.oneof(
    { maxDepth: 4 },
    tie("leaf"),
    fc.array(tie("document"), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie("document")), { maxLength: 4 }).map((members) => new Map(members))
  )
}))

const space = fc.stringOf(fc.constantFrom(" ", "\t", "\n", "\r"), { maxLength: 3 })

/** The text of a value, with `gap` wherever white space is allowed. */
const spaced = (value: Json, gap: string): string => {
  const inside = (items: ReadonlyArray<string>): string => items.map((item) => gap + item + gap).join(",")
  if (isJsonArray(value)) return `[${gap}${inside(value.map((item) => spaced(item, gap)))}]`
  if (isJsonObject(value)) {
    const members = [...value].map(([name, member]) => `${JSON.stringify(name)}${gap}:${gap}${spaced(member, gap)}`)
    return `{${gap}${inside(members)}}`
  }
  return value instanceof JsonNumber ? value.digits : JSON.stringify(value)
}

const asWritten = ({ digits: text }: JsonNumber): string => text

describe("readJson", () => {
  it("agrees with JSON.parse on documents and on mutated ones", () => {
    const numRuns = soakCount({ everyday: 5_000, full: 20_000 })
    let refused = 0
    fc.assert(
      fc.property(mutated, (text) => {
        agrees(text)
        if (!readJson(text).ok) refused += 1
      }),
      { numRuns }
    )
    // Enough mutations must be invalid, or the property shows little.
    expect(refused).toBeGreaterThan(numRuns / 10)
  })

  it("agrees with JSON.parse where the grammar is narrow", () => {
    const texts = [
      "",
      " ",
      "null",
      "nul",
      "nulll",
      "true",
      "True",
      "false",
      "-",
      "-0",
      "-0.0",
      "00",
      "01",
      "1.",
      ".1",
      "1e",
      "1e+",
      "+1",
      "1_0",
      "NaN",
      "Infinity",
      "0x1",
      '"',
      '"\\"',
      '"\\u12"',
      '"\\ud800"',
      '"\\x41"',
      '"\t"',
      '"\u007f"',
      '"\u2028"',
      "'a'",
      "[",
      "]",
      "[1,]",
      "[,1]",
      "[1 2]",
      "[[]]",
      "{",
      '{"a"}',
      '{"a":}',
      '{"a":1,}',
      "{a:1}",
      '{"a":1 "b":2}',
      '{"a":1,"a":2}',
      '{"__proto__":{"x":1}}',
      "\ufeff1",
      "1\u00a0",
      "1 1",
      "[1]x",
      "//1",
      "1/**/"
    ]
    for (const text of texts) agrees(text)
  })

  it("reports the position of the first error", () => {
    expect(readJson("[1, x]")).toEqual({ ok: false, fault: { at: 4, message: "unexpected character" } })
    expect(readJson('{"a":1')).toMatchObject({ ok: false, fault: { at: 6 } })
  })

  it("reads up to the maximum depth, and never overflows the stack", () => {
    const nested = (depth: number, open: string, close: string): string => open.repeat(depth) + "1" + close.repeat(depth)
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"]
    ] as const) {
      expect(readJson(nested(maxJsonDepth, open, close)).ok).toBe(true)
      expect(readJson(nested(maxJsonDepth + 1, open, close)).ok).toBe(false)
      expect(readJson(open.repeat(1_000_000)).ok).toBe(false)
    }
  })

  it("reads up to a number of values, of which objects and lists are four", () => {
    for (const [text, cost] of [
      ["1", 1],
      ['{"a":[1,"b",null],"c":{}}', 15],
      [`[${"[],".repeat(9)}true]`, 41]
    ] as const) {
      expect(readJson(text, cost)).toEqual(readJson(text))
      expect(readJson(text, cost - 1)).toMatchObject({
        ok: false,
        fault: { message: `more than ${cost - 1} values (an object or list counts as 4)` }
      })
    }
  })

  it("keeps a repeated key at its first place with its last value", () => {
    const read = readJson('{"b":1,"a":2,"b":3}')
    expect(read.ok && printJson(read.value, asWritten)).toBe('{"b":3,"a":2}')
  })

  it("reports the path of the first key with two values", () => {
    const repeated = (text: string) => {
      const read = readJson(text)
      return read.ok ? read.repeated : "not read"
    }
    expect(repeated('{"b":1,"a":2,"b":3,"a":4}')).toBe("b")
    expect(repeated('{"a":{"b":[{"c":null,"c":false}]},"a":1}')).toBe("a.b.c")
    expect(repeated('{"a":1,"a":1.0}')).toBe("a")
    expect(repeated('{"a":{"x":[1,"y"]},"a":{"x": [1, "\\u0079"]},"b":{"a":2}}')).toBeUndefined()
    expect(repeated('[{"a":1},{"a":2}]')).toBeUndefined()
  })
})

describe("printJson", () => {
  it("keeps every digit and the order of keys, whatever the white space", () => {
    fc.assert(
      fc.property(document, space, (value, gap) => {
        const read = readJson(gap + spaced(value, gap) + gap)
        if (!read.ok) throw new Error(read.fault.message)
        expect(read.value).toEqual(value)
        expect(printJson(read.value, asWritten)).toBe(spaced(value, ""))
      }),
      { numRuns: 1_000 }
    )
  })
})

// Bun does not tell what its texts take.
describe.skipIf(typeof globalThis.Bun !== "undefined")("what is kept of a long text", () => {
  it("is the string alone, and not the text around it", () => {
    setFlagsFromString("--expose-gc")
    const collect = runInNewContext("gc") as () => void
    const usedBytes = (): number => {
      collect()
      return process.memoryUsage().heapUsed
    }
    const before = usedBytes()
    const kept = Array.from({ length: 64 }, (_, at) => {
      const read = readJson(`{"id":"${String(at).padStart(36, "0")}",${" ".repeat(1_000_000)}"a":1}`)
      return read.ok && isJsonObject(read.value) ? read.value.get("id") : undefined
    })
    expect(usedBytes() - before).toBeLessThan(16_000_000)
    expect(kept.at(-1)).toBe("63".padStart(36, "0"))
  })
})
