/** Paths select what RFC 9535 says, in every notation, and other text is refused. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readJsonPath, selectNodes } from "./jsonPath.ts"
import { type Json, JsonNumber, printJson, readJson } from "./losslessJson.ts"

const jsonOf = (text: string): Json => {
  const read = readJson(text)
  if (!read.ok) throw new Error(read.fault.message)
  return read.value
}

const found = (document: string, path: string): ReadonlyArray<string> | undefined => {
  const read = readJsonPath(path)
  return read && selectNodes(jsonOf(document), read).map((node) => printJson(node, ({ digits }) => digits))
}

const names = fc.oneof(
  fc.constantFrom("a", "b", "price", "a-b", "_", "é", "", "0", "it's", 'say "x"', "back\\slash", "__proto__"),
  fc.string({ maxLength: 4 })
)

const isPlainName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name)

/** All notations for one name after a node. */
const notations = (name: string): ReadonlyArray<string> => {
  const double = JSON.stringify(name)
  const single = `'${double.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  return [`[${double}]`, `[${single}]`, `[ ${double} ]`, ...(isPlainName(name) ? [`.${name}`] : [])]
}

describe("names and indices", () => {
  it("select nested values in every notation", () => {
    const step = fc.oneof(
      names.chain((name) => fc.constantFrom(...notations(name)).map((text) => ({ name, text }))),
      fc.integer({ min: -3, max: 2 }).map((index) => ({ name: index, text: `[${index}]` }))
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
        // Built from the leaf outwards, with a sibling at each level that must not be selected.
        const document = steps.reduceRight<Json>((inside, { name }) => {
          if (typeof name === "string")
            return new Map([
              [`${name}?`, null],
              [name, inside]
            ])
          return Array.from({ length: 3 }, (_, index): Json => (index === (name + 3) % 3 ? inside : null))
        }, "leaf")
        const path = readJsonPath(`$${steps.map(({ text }) => text).join("")}`)
        expect(path).toBeDefined()
        expect(selectNodes(document, path ?? [])).toEqual(["leaf"])
      }),
      { numRuns: 1_000 }
    )
  })

  it("select nothing if the path does not exist", () => {
    for (const path of ["$.b", "$.a.b", "$[0]", "$.a[3]", "$.a[-4]", "$.a.length", "$.constructor", "$.a[99999999999999999999]"]) {
      expect(found('{"a":[1,2,3]}', path), path).toEqual([])
    }
  })
})

describe("slices", () => {
  /** RFC 9535, section 2.3.4.2.2, transcribed. */
  const model = (length: number, start: number | undefined, end: number | undefined, step: number): Array<number> => {
    const normalized = (index: number): number => (index >= 0 ? index : length + index)
    const picked: Array<number> = []
    if (step > 0) {
      const lower = Math.min(Math.max(normalized(start ?? 0), 0), length)
      const upper = Math.min(Math.max(normalized(end ?? length), 0), length)
      for (let at = lower; at < upper; at += step) picked.push(at)
    } else if (step < 0) {
      const upper = Math.min(Math.max(normalized(start ?? length - 1), -1), length - 1)
      const lower = Math.min(Math.max(normalized(end ?? -length - 1), -1), length - 1)
      for (let at = upper; lower < at; at += step) picked.push(at)
    }
    return picked
  }

  it("select what the standard's algorithm selects", () => {
    const bound = fc.option(fc.integer({ min: -8, max: 8 }), { nil: undefined })
    fc.assert(
      fc.property(fc.nat(6), bound, bound, fc.option(fc.integer({ min: -3, max: 3 }), { nil: undefined }), (length, start, end, step) => {
        const items = Array.from({ length }, (_, index) => new JsonNumber(String(index)))
        const text = `$[${start ?? ""}:${end ?? ""}${step === undefined ? "" : `:${step}`}]`
        const picked = selectNodes(items, readJsonPath(text) ?? [])
        expect(picked.map((item) => item instanceof JsonNumber && Number(item.digits))).toEqual(model(length, start, end, step ?? 1))
      }),
      { numRuns: 2_000 }
    )
  })
})

describe("wildcards, unions and descendants", () => {
  const document = '{"a":[{"p":1},{"p":2,"q":{"p":3}}],"p":4}'

  it("select every node once for each path to it", () => {
    expect(found(document, "$.*")).toEqual(['[{"p":1},{"p":2,"q":{"p":3}}]', "4"])
    expect(found(document, "$.a[*].p")).toEqual(["1", "2"])
    expect(found(document, "$.a[1,0].p")).toEqual(["2", "1"])
    expect(found(document, "$.a[0]['p','p','x']")).toEqual(["1", "1"])
    expect(found(document, "$..p")).toEqual(["4", "1", "2", "3"])
    expect(found(document, "$..q..p")).toEqual(["3"])
    expect(found("[[1],[2,[3]]]", "$..[0]")).toEqual(["[1]", "1", "2", "3"])
    expect(found(document, "$")).toEqual([printJson(jsonOf(document), ({ digits }) => digits)])
  })
})

describe("readJsonPath", () => {
  it("refuses what is not a path of the supported form", () => {
    const texts = [
      "",
      "a",
      ".a",
      "$.",
      "$a",
      "$..",
      "$[",
      "$[]",
      "$[a]",
      "$['a]",
      "$['a\"]",
      "$[\"a']",
      "$[1,]",
      "$[,1]",
      "$[1 2]",
      "$.[0]",
      "$.'a'",
      "$[?(@.a)]",
      "$.a b",
      "$.1",
      " $",
      "$ ",
      "$['\\x']",
      "$[::a]",
      "$[1:2:3:4]",
      "$[1.5]",
      "$.a."
    ]
    for (const text of texts) expect(readJsonPath(text), text).toBeUndefined()
  })

  it("never throws", () => {
    const characters = fc.constantFrom(..."$.[]'\"*:,-019ab\\ ?@()é".split(""))
    fc.assert(
      fc.property(fc.stringOf(characters, { maxLength: 12 }), (text) => {
        const path = readJsonPath(`$${text}`)
        expect(path === undefined || Array.isArray(selectNodes(jsonOf('{"a":[1,{"b":2}]}'), path))).toBe(true)
      }),
      { numRuns: 5_000 }
    )
  })
})
