/** Measurements in Effect's metrics, and the conventions that the list of metrics keeps. */
import { describe, expect, test } from "vitest"
import { makeEffectMetrics } from "./effectMetrics.ts"
import { counter, gauge, openValuesKept, shortDuration } from "./metricDescriptor.ts"
import { allMetrics } from "./metricList.ts"

// Effect's metrics belong to the process: each test has names of its own.
const hits = counter("test_hits_total", "Hits.", ["host"])
const open = gauge("test_open", "Open.", ["mode"])
const ticks = counter("test_ticks_total", "Ticks.")
const waits = shortDuration("test_waits_seconds", "Waits.")

const numbers = (metrics: ReturnType<typeof makeEffectMetrics>, name: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    metrics
      .series()
      .filter((series) => series.name === name)
      .map(({ labels, value }) => [labels.join(","), value.kind === "number" ? value.value : value.count])
  )

describe("measurements in Effect's metrics", () => {
  test("add up by label", () => {
    const metrics = makeEffectMetrics([])
    metrics.add(hits, 1, "a")
    metrics.add(hits, 2, "a")
    metrics.add(hits, 5, "b")
    expect(numbers(metrics, hits.name)).toEqual({ a: 3, b: 5 })
  })

  test("tell a bounded number of hosts apart, and count all others together", () => {
    const metrics = makeEffectMetrics([])
    const many = counter("test_many_total", "Many.", ["host"])
    for (let host = 0; host < openValuesKept + 7; host += 1) for (let round = 0; round < 2; round += 1) metrics.add(many, 1, `host ${host}`)
    const found = numbers(metrics, many.name)
    expect(Object.keys(found)).toHaveLength(openValuesKept + 1)
    expect(found["host 0"]).toBe(2)
    expect(found["other"]).toBe(14)
  })

  test("gauges are what was added and what is read, from as many readers as there are", () => {
    const metrics = makeEffectMetrics([])
    let size = 3
    const endFirst = metrics.read(open, () => size, "FIXED")
    metrics.read(open, () => 10, "FIXED")
    metrics.add(open, 1, "FIXED")
    expect(numbers(metrics, open.name)).toEqual({ FIXED: 14 })
    size = 4
    metrics.add(open, -1, "FIXED")
    expect(numbers(metrics, open.name)).toEqual({ FIXED: 14 })
    endFirst()
    expect(numbers(metrics, open.name)).toEqual({ FIXED: 10 })
  })

  test("a counter that is read grows by what it grew, and never shrinks", () => {
    const metrics = makeEffectMetrics([])
    let total = 5
    metrics.read(ticks, () => total)
    expect(numbers(metrics, ticks.name)).toEqual({ "": 5 })
    total = 8
    expect(numbers(metrics, ticks.name)).toEqual({ "": 8 })
    expect(numbers(metrics, ticks.name)).toEqual({ "": 8 })
    total = 2
    expect(numbers(metrics, ticks.name)).toEqual({ "": 8 })
  })

  test("values fall into the bucket of the first bound that they do not exceed", () => {
    const metrics = makeEffectMetrics([])
    for (const value of [0, 0.0005, 0.0006, 0.5, 99]) metrics.observe(waits, value)
    const series = metrics.series().find(({ name }) => name === waits.name)
    expect(series?.value).toMatchObject({ kind: "histogram", count: 5, sum: 99.5011 })
    if (series?.value.kind !== "histogram") throw new Error("no histogram")
    expect(new Map(series.value.buckets)).toEqual(new Map(waits.bounds.map((bound) => [bound, bound === 0.0005 ? 2 : bound < 0.5 ? 3 : 4])))
  })

  test("what has no labels is there from the beginning", () => {
    const fresh = counter("test_fresh_total", "Fresh.")
    expect(numbers(makeEffectMetrics([fresh, hits]), fresh.name)).toEqual({ "": 0 })
  })
})

describe("the list of metrics", () => {
  test("has names, labels and units as Prometheus' conventions say", () => {
    expect(new Set(allMetrics.map(({ name }) => name)).size).toBe(allMetrics.length)
    for (const { bounds, kind, labels, name } of allMetrics) {
      expect(name).toMatch(/^sibyl_[a-z]+(?:_[a-z]+)*$/)
      expect(name.endsWith("_total"), name).toBe(kind === "counter")
      expect(name).not.toMatch(/_(?:ms|millis|milliseconds|kb|mb|count|sum|bucket)(?:_|$)/)
      for (const label of labels) expect(label).toMatch(/^[a-z_]+$/)
      expect(bounds.length > 0, name).toBe(kind === "histogram")
      expect([...bounds].toSorted((left, right) => left - right)).toEqual(bounds)
    }
  })

  test("knows no project, no key and no address", () => {
    const labels = new Set(allMetrics.flatMap((metric) => metric.labels))
    expect([...labels].toSorted()).toEqual(["host", "limit", "mode", "outcome", "phase", "program", "reason", "route", "status"])
  })
})
