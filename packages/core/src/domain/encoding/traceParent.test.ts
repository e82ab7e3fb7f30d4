/** The headers of W3C Trace Context. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readTraceParent, readTraceState, traceParentOf } from "./traceParent.ts"

const digits = (length: number) =>
  fc
    .array(
      fc.integer({ min: 0, max: 15 }).map((digit) => digit.toString(16)),
      { minLength: length, maxLength: length }
    )
    .map((chars) => chars.join(""))
    .filter((text) => !/^0+$/.test(text))

const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
const span = "00f067aa0ba902b7"

describe("traceparent", () => {
  it("is read as it was written", () => {
    fc.assert(
      fc.property(fc.record({ traceId: digits(32), spanId: digits(16), sampled: fc.boolean() }), (place) => {
        expect(readTraceParent(traceParentOf(place))).toEqual(place)
      })
    )
  })

  it.each([
    undefined,
    "",
    `00-${trace}-${span}`,
    `00-${trace}-${span}-01-more`,
    `ff-${trace}-${span}-01`,
    `00-${"0".repeat(32)}-${span}-01`,
    `00-${trace}-${"0".repeat(16)}-01`,
    `00-${trace.toUpperCase()}-${span}-01`,
    `00-${trace}-${span}-01, 00-${trace}-${span}-01`,
    ` 00-${trace}-${span}-01`,
    `00-${trace}-${span}-01\n`
  ])("counts as none: %j", (text) => expect(readTraceParent(text)).toBeUndefined())

  it("of a later version is read as far as it is known, and flags that are not known are nothing", () => {
    expect(readTraceParent(`cc-${trace}-${span}-03-later`)).toEqual({ traceId: trace, spanId: span, sampled: true })
    expect(readTraceParent(`00-${trace}-${span}-fe`)?.sampled).toBe(false)
  })
})

describe("tracestate", () => {
  it("is given on if it can stand in a header and is not too long", () => {
    const read = ["a=1,b=2", "", "a=\u001b[2J", "x".repeat(513)].map(readTraceState)
    expect(read).toEqual(["a=1,b=2", undefined, undefined, undefined])
  })
})
