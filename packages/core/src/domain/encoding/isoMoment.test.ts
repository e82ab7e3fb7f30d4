/** Moments are read as the engine reads them, and nothing else is. */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { readIsoMoment } from "./isoMoment.ts"

it("reads every moment from the year 0 to 9999", () => {
  const moment = fc.integer({ min: Date.parse("0000-01-01T00:00:00.000Z"), max: Date.parse("9999-12-31T23:59:59.999Z") })
  fc.assert(
    fc.property(moment, (ms) => {
      expect(readIsoMoment(new Date(ms).toISOString())).toBe(ms)
    })
  )
})

it.each(["2026-02-29T00:00:00.000Z", "2026-13-01T00:00:00.000Z", "2026-01-00T00:00:00.000Z", "2026-01-01T24:00:00.000Z"])(
  "refuses %s, which is no moment",
  (text) => expect(readIsoMoment(text)).toBeUndefined()
)

it.each(["", "soon", "2026-01-01", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000+01:00", " 2026-01-01T00:00:00.000Z"])(
  "refuses %j, which has another form",
  (text) => expect(readIsoMoment(text)).toBeUndefined()
)
