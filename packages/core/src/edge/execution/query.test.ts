/** A query is read as forms encode it, and a name with two different values is refused (decision D5). */
import { Either } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readQuery } from "./query.ts"

const readAll = (query: string): ReadonlyArray<Readonly<Record<string, string>>> | string =>
  Either.match(readQuery(query), {
    onLeft: ({ message }) => message,
    onRight: (places) => places.map((place) => Object.fromEntries(place) as Readonly<Record<string, string>>)
  })

/** The one place of a query that says nothing twice. */
const read = (query: string): Readonly<Record<string, string>> | string | undefined => {
  const places = readAll(query)
  return typeof places === "string" ? places : places.length === 1 ? places[0] : undefined
}

const text = fc.oneof(fc.fullUnicodeString({ maxLength: 8 }), fc.constantFrom("+", " ", "&", "=", "%", "%41", "a b", "", "?#/"))

describe("readQuery", () => {
  it("reads what URLSearchParams writes", () => {
    const parameters = fc.array(fc.tuple(text, text), { maxLength: 6 }).map((pairs) => new Map(pairs))
    fc.assert(
      fc.property(parameters, (wanted) => {
        // It writes a space as a plus and a plus as %2B.
        expect(readQuery(new URLSearchParams([...wanted]).toString())).toEqual(Either.right([wanted]))
        const percent = [...wanted].map((pair) => pair.map(encodeURIComponent).join("="))
        expect(readQuery(percent.join("&"))).toEqual(Either.right([wanted]))
      }),
      { numRuns: 1_000 }
    )
  })

  it("takes a plus as a space, a missing value as empty, and empty parts as nothing", () => {
    expect(read("a=1+2&b=%2B&c+d=e")).toEqual({ a: "1 2", b: "+", "c d": "e" })
    expect(read("&&flag&x=&y==1&")).toEqual({ flag: "", x: "", y: "=1" })
    expect(read("")).toEqual({})
  })

  it("keeps the first of two values of an unknown name", () => {
    expect(readQuery("u=1&u=2", (name) => name !== "u")).toEqual(Either.right([new Map([["u", "1"]])]))
    const places = [
      new Map([
        ["u", "1"],
        ["v", "1"]
      ]),
      new Map([["v", "2"]])
    ]
    expect(readQuery("u=1&v=1&v=2&u=3", (name) => name !== "u")).toEqual(Either.right(places))
  })

  it("keeps each different value of a name, and equal values once", () => {
    expect(read("a=1&a=1&a=%31")).toEqual({ a: "1" })
    expect(readAll("a=1&b=3&a=2&a=1&a=%32")).toEqual([{ a: "1", b: "3" }, { a: "2" }])
    expect(readAll("a=1&a=2&a=3")).toEqual([{ a: "1" }, { a: "2" }, { a: "3" }])
    expect(read("flag&flag=")).toEqual({ flag: "" })
    expect(readAll("flag&flag=true")).toEqual([{ flag: "" }, { flag: "true" }])
  })

  it("refuses malformed percent-encoding by the name of the parameter", () => {
    for (const query of ["a=%", "a=%zz", "a=%ff", "b=1&a=%C3%28"]) expect(read(query)).toBe("a: must be percent-encoded UTF-8")
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
