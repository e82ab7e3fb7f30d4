/** The text format, and the sums over processes. */
import { counter, gauge, type Series, shortDuration } from "@sibyl/core"
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { exposition } from "./exposition.ts"
import { mergeSeries } from "./mergeSeries.ts"

const hits = counter("hits_total", "Hits,\nby \\ host.", ["host"])
const oldest = gauge("oldest", "Oldest.", [], "max")
const newest = gauge("newest", "Newest.", [], "min")
const waits = shortDuration("waits_seconds", "Waits.", ["mode"])
const descriptors = [hits, oldest, newest, waits]

const number = (name: string, value: number, ...labels: ReadonlyArray<string>): Series => ({
  name,
  labels,
  value: { kind: "number", value }
})

/** Reads the text back: each sample with its labels unescaped. */
const readBack = (text: string): ReadonlyMap<string, number> =>
  new Map(
    text
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => {
        const at = line.lastIndexOf(" ")
        const value = line.slice(at + 1)
        return [line.slice(0, at), value === "+Inf" ? Infinity : Number(value)]
      })
  )

describe("the text", () => {
  test("is as the format wants it", () => {
    const buckets = waits.bounds.map((bound) => [bound, bound < 0.1 ? 1 : 2] as const)
    const text = exposition(
      [hits, waits],
      [
        number("hits_total", 3, 'a"b\\c\nd'),
        { name: "waits_seconds", labels: ["FIXED"], value: { kind: "histogram", buckets, count: 3, sum: 7.25 } },
        number("unknown_total", 1)
      ]
    )
    const lines = text.split("\n")
    expect(lines.slice(0, 3)).toEqual([
      "# HELP hits_total Hits,\\nby \\\\ host.",
      "# TYPE hits_total counter",
      'hits_total{host="a\\"b\\\\c\\nd"} 3'
    ])
    expect(lines).toContain('waits_seconds_bucket{mode="FIXED",le="0.1"} 2')
    expect(lines.slice(-4)).toEqual([
      'waits_seconds_bucket{mode="FIXED",le="+Inf"} 3',
      'waits_seconds_sum{mode="FIXED"} 7.25',
      'waits_seconds_count{mode="FIXED"} 3',
      ""
    ])
    expect(text).not.toContain("unknown")
  })

  test("has one line for each sample, whatever the labels contain", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: "binary" }), { maxLength: 8 }), (hosts) => {
        const text = exposition(
          [hits],
          hosts.map((host, at) => number("hits_total", at, host))
        )
        expect([...readBack(text).values()]).toEqual(hosts.map((_, at) => at))
      })
    )
  })
})

describe("several processes", () => {
  const values = fc.array(fc.record({ host: fc.constantFrom("a", "b", "c"), value: fc.nat() }), { maxLength: 6 })

  test("add up by their labels", () => {
    fc.assert(
      fc.property(fc.array(values, { maxLength: 4 }), (ofProcesses) => {
        const series = ofProcesses.map((process) => process.map(({ host, value }) => number("hits_total", value, host)))
        const sums = new Map<string, number>()
        for (const { host, value } of ofProcesses.flat()) sums.set(host, (sums.get(host) ?? 0) + value)
        expect(
          new Map(mergeSeries(descriptors, series).map(({ labels, value }) => [labels[0], value.kind === "number" ? value.value : NaN]))
        ).toEqual(sums)
      })
    )
  })

  test("have the greatest or the least of what does not add up, and histograms bucket by bucket", () => {
    const histogram = (count: number): Series => ({
      name: "waits_seconds",
      labels: ["FIXED"],
      value: { kind: "histogram", buckets: waits.bounds.map((bound) => [bound, count] as const), count, sum: count / 4 }
    })
    const merged = mergeSeries(descriptors, [
      [number("oldest", 3), number("newest", 3), histogram(2)],
      [number("oldest", 5), number("newest", 5), histogram(3)]
    ])
    expect(merged.slice(0, 2)).toEqual([number("oldest", 5), number("newest", 3)])
    expect(merged[2]).toEqual(histogram(5))
  })
})
