/** Past runs are shown as they were: text as text, numbers as numbers, each at its time. */
import type { ReportEntry } from "@sibyl/client"
import fc from "fast-check"
import { expect, test } from "vitest"
import { historyData, pastRun, placesIn } from "./pastRuns.ts"

const entry = (result: string, over: Partial<ReportEntry> = {}): ReportEntry =>
  ({
    id: "r",
    executedAt: "2026-01-31T12:00:00.000Z",
    source: "rest",
    exitCode: 0,
    gasUsed: "5",
    creditsUsed: "7",
    dataResult: { result },
    ...over
  }) as ReportEntry

const hexOf = (text: string): string => Buffer.from(text).toString("hex")

test("a JSON result is text, with its numbers", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }), (price) => {
      const text = JSON.stringify({ price: Object.is(price, -0) ? 0 : price, at: "noon" })
      const { numbers, result } = pastRun(entry(hexOf(text)))
      expect(result).toBe(text)
      expect(numbers.get("price")).toBeCloseTo(price, 3)
      expect([...numbers.keys()]).toEqual(["price"])
    })
  )
})

test("any bytes are shown, and 32 of them are a number", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      const hex = Buffer.from(bytes).toString("hex")
      const { result } = pastRun(entry(hex))
      expect([`0x${hex}`, Buffer.from(bytes).toString()]).toContain(result)
    })
  )
  expect(pastRun(entry("ff".padStart(64, "0"))).numbers).toEqual(new Map([["", 255]]))
})

test("a chart goes from the oldest to the newest, with nothing where a run failed", () => {
  const runs = [
    pastRun(entry(hexOf('{"price":3}'), { executedAt: "2026-01-31T12:00:02.000Z" })),
    pastRun(entry(hexOf('{"price":9}'), { executedAt: "2026-01-31T12:00:01.000Z", exitCode: 3 })),
    pastRun(entry(hexOf('{"price":1}')))
  ]
  const atS = Date.parse("2026-01-31T12:00:00.000Z") / 1_000
  expect(placesIn(runs)).toEqual(["price"])
  expect(historyData(runs, "price")).toEqual([
    [atS, atS + 1, atS + 2],
    [1, null, 3]
  ])
})
