/** A mistyped name finds the intended one; a name that resembles none finds nothing. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { editDistance, nearestName } from "./nearestName.ts"

const settingNames = ["port", "host", "prefix", "limits.feedOverlap", "limits.urlBytes", "tariff.gasPerCredit", "execInputs", "dryRun"]

const word = fc.string({ maxLength: 12 })

describe("the distance of two texts", () => {
  it("is a metric, and at most the length of the longer text", () => {
    fc.assert(
      fc.property(word, word, word, (a, b, c) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a))
        expect(editDistance(a, b) === 0).toBe(a === b)
        expect(editDistance(a, c)).toBeLessThanOrEqual(editDistance(a, b) + editDistance(b, c))
        expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length))
      })
    )
  })
})

describe("the nearest name", () => {
  const name = fc.constantFrom(...settingNames)

  it("of a setting with one letter missing is at most that far away", () => {
    fc.assert(
      fc.property(name, fc.nat(), (right, at) => {
        const cut = at % right.length
        const typed = right.slice(0, cut) + right.slice(cut + 1)
        const found = nearestName(typed, settingNames)
        expect(found === undefined ? Number.NaN : editDistance(typed.toLowerCase(), found.toLowerCase())).toBeLessThanOrEqual(1)
      })
    )
  })

  it("of a setting without its group is that setting", () => {
    expect(nearestName("feedOverlap", settingNames)).toBe("limits.feedOverlap")
  })

  it("of a text that resembles none is none", () => {
    for (const typed of ["colour-scheme", "zzzzzzzz", "x"]) expect(nearestName(typed, ["port", "host"])).toBeUndefined()
  })
})
