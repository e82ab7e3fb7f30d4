/** Counts of everyday tests and of soaks. */
import { describe, expect, it } from "vitest"
import { soakCount } from "./soakCount.ts"

const counts = { everyday: 20, full: 1_000 }

describe("a soak", () => {
  it("is short by default", () => {
    expect(soakCount(counts, "")).toBe(20)
    expect(soakCount(counts, process.env["SIBYL_SOAK"])).toBe(soakCount(counts))
  })

  it("is full, or a multiple of that", () => {
    expect(soakCount(counts, "full")).toBe(1_000)
    expect(soakCount(counts, "3")).toBe(3_000)
    expect(soakCount(counts, "0.0101")).toBe(11)
  })

  it("is refused for any other setting", () => {
    for (const setting of ["yes", "0", "-1", "Infinity", "NaN"]) expect(() => soakCount(counts, setting)).toThrow(RangeError)
  })
})
