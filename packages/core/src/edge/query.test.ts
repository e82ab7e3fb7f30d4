/** A query is read as forms write it, and a name that says two things is refused (decision D5). */
import { Either } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readQuery, splitTarget } from "./query.ts"

const read = (query: string): Readonly<Record<string, string>> | string =>
  Either.match(readQuery(query), { onLeft: ({ message }) => message, onRight: Object.fromEntries })

const text = fc.oneof(
  fc.fullUnicodeString({ maxLength: 8 }),
  fc.constantFrom("+", " ", "&", "=", "%", "%41", "a b", "", "?#/")
)

describe("readQuery", () => {
  it("reads what URLSearchParams writes", () => {
    const parameters = fc.array(fc.tuple(text, text), { maxLength: 6 }).map((pairs) => new Map(pairs))
    fc.assert(
      fc.property(parameters, (wanted) => {
        // It writes a space as a plus and a plus as %2B.
        expect(readQuery(new URLSearchParams([...wanted]).toString())).toEqual(Either.right(wanted))
        const percent = [...wanted].map((pair) => pair.map(encodeURIComponent).join("="))
        expect(readQuery(percent.join("&"))).toEqual(Either.right(wanted))
      }),
      { numRuns: 1_000 }
    )
  })

  it("takes a plus as a space, a missing value as empty, and empty parts as nothing", () => {
    expect(read("a=1+2&b=%2B&c+d=e")).toEqual({ a: "1 2", b: "+", "c d": "e" })
    expect(read("&&flag&x=&y==1&")).toEqual({ flag: "", x: "", y: "=1" })
    expect(read("")).toEqual({})
  })

  it("keeps the first of two values of a name that does not matter", () => {
    expect(readQuery("u=1&u=2", (name) => name !== "u")).toEqual(Either.right(new Map([["u", "1"]])))
    expect(Either.isLeft(readQuery("u=1&v=1&v=2", (name) => name !== "u"))).toBe(true)
  })

  it("refuses a name with two values and takes one that says the same twice", () => {
    expect(read("a=1&a=1&a=%31")).toEqual({ a: "1" })
    expect(read("a=1&a=2")).toBe("a: is given twice with different values")
    expect(read("flag&flag=")).toEqual({ flag: "" })
    expect(read("flag&flag=true")).toBe("flag: is given twice with different values")
  })

  it("refuses malformed percent-encoding by the name of the parameter", () => {
    for (const query of ["a=%", "a=%zz", "a=%ff", "b=1&a=%C3%28"])
      expect(read(query)).toBe("a: must be percent-encoded UTF-8")
    expect(read("%=1")).toBe("%: must be percent-encoded UTF-8")
  })

  it("never throws", () => {
    fc.assert(
      fc.property(fc.stringOf(fc.constantFrom(..."ab=&%+4fé\ud800".split(""))), (query) => {
        expect(Either.isEither(readQuery(query))).toBe(true)
      }),
      { numRuns: 1_000 }
    )
  })
})

describe("splitTarget", () => {
  it("splits at the first question mark", () => {
    expect(splitTarget("/a")).toEqual({ path: "/a", query: "" })
    expect(splitTarget("/a?")).toEqual({ path: "/a", query: "" })
    expect(splitTarget("/a?b?c")).toEqual({ path: "/a", query: "b?c" })
  })
})
