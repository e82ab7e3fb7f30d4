/** Reading metrics, and what happened between two scrapes, for any values and through restarts. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { gauge, grown, rate, ratesBy, valuesOf } from "./changes.ts"
import { readExposition, type Sample } from "./exposition.ts"
import { quantile } from "./quantile.ts"

const quoted = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")

const shown = (value: number): string => (value === Infinity ? "+Inf" : value === -Infinity ? "-Inf" : String(value))

const written = (samples: ReadonlyArray<Sample>): string =>
  samples
    .map(({ labels, name, value }) => {
      const all = Object.entries(labels).map(([label, text]) => `${label}="${quoted(text)}"`)
      return `# HELP ${name} what it is\n# TYPE ${name} gauge\n${name}${all.length === 0 ? "" : `{${all.join(",")}}`} ${shown(value)}\n`
    })
    .join("\n")

const name = fc.stringMatching(/^[a-z_:][a-z0-9_:]{0,20}$/)
const label = fc.stringMatching(/^[a-z_][a-z0-9_]{0,10}$/).filter((text) => text !== "__proto__")
const sample: fc.Arbitrary<Sample> = fc.record({
  name,
  labels: fc.dictionary(label, fc.string(), { maxKeys: 4, noNullPrototype: true }),
  value: fc.double({ noDefaultInfinity: false }).map((value) => (Object.is(value, -0) ? 0 : value))
})

const scrape = (text: string) => {
  const read = readExposition(text)
  if (read === undefined) throw new Error(`not read: ${text}`)
  return read
}

describe("an exposition", () => {
  it("is read as it was written, whatever the labels say", () => {
    fc.assert(
      fc.property(fc.array(sample, { minLength: 1, maxLength: 20 }), (samples) => {
        expect(scrape(written(samples)).samples).toEqual(samples)
      })
    )
  })

  it("has timestamps, spaces and a comma at the end where the format allows them", () => {
    const text = 'a_total{ b="1", c="x y" , } 3e2 1395066363000\nb 1\t\r'
    expect(scrape(text).samples).toEqual([
      { name: "a_total", labels: { b: "1", c: "x y" }, value: 300 },
      { name: "b", labels: {}, value: 1 }
    ])
  })

  it("is not anything else, and reading never throws", () => {
    for (const text of ["", "# only a comment\n", '{"_tag":"NotFound"}', "<html></html>", "a 1\nnonsense", 'a{b="1" 2', "a one"]) {
      expect(readExposition(text), text).toBeUndefined()
    }
    fc.assert(fc.property(fc.string(), (text) => void readExposition(text)))
  })
})

const between = (before: string, after: string, seconds = 10) => ({
  before: before === "" ? { samples: [] } : scrape(before),
  after: scrape(after),
  seconds
})

describe("between two scrapes", () => {
  it("counters grow by their difference, or from 0 after a restart", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (before, after) => {
        expect(grown(before, after)).toBe(after >= before ? after - before : after)
        expect(grown(undefined, after)).toBe(after)
      })
    )
    const interval = between('r{o="a"} 5\nr{o="b"} 100', 'r{o="a"} 25\nr{o="b"} 10\nr{o="c"} 30')
    expect(rate(interval, "r")).toBe(6)
    expect(ratesBy(interval, "r", "o")).toEqual({ a: 2, b: 1, c: 3 })
    expect(rate(interval, "r", { o: "c" })).toBe(3)
    expect(rate(interval, "unknown")).toBeUndefined()
  })

  it("gauges are what they are now, summed over their labels", () => {
    const { after } = between("", 'g{k="x"} 2\ng{k="y"} 3')
    expect([gauge(after, "g"), gauge(after, "g", { k: "y" }), gauge(after, "h")]).toEqual([5, 3, undefined])
    expect(valuesOf(after, "g", "k")).toEqual(["x", "y"])
  })
})

const bounds = [0.001, 0.01, 0.1, 1, 10]

const histogram = (values: ReadonlyArray<number>): string =>
  [...bounds, Infinity]
    .map((bound) => `h_bucket{le="${shown(bound)}"} ${values.filter((value) => value <= bound).length}`)
    .concat(`h_sum ${values.reduce((sum, value) => sum + value, 0)}`, `h_count ${values.length}`)
    .join("\n")

const values = fc.array(fc.double({ min: 0.0001, max: 9.99, noNaN: true }), { minLength: 1, maxLength: 60 })

describe("a quantile", () => {
  it("lies in the bucket of the true one, and grows with its part", () => {
    fc.assert(
      fc.property(values, values, fc.double({ min: 0.01, max: 0.99, noNaN: true }), (earlier, later, part) => {
        const interval = between(histogram(earlier), histogram([...earlier, ...later]))
        const found = quantile(interval, "h", part) ?? Number.NaN
        const sorted = later.toSorted((one, two) => one - two)
        const truth = sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN
        const at = bounds.findIndex((bound) => truth <= bound)
        expect(found).toBeGreaterThanOrEqual(bounds[at - 1] ?? 0)
        expect(found).toBeLessThanOrEqual(bounds[at] ?? Infinity)
        expect(quantile(interval, "h", Math.min(1, part + 0.1)) ?? 0).toBeGreaterThanOrEqual(found)
      })
    )
  })

  it("is of what came after a restart, even if some buckets have passed their old counts", () => {
    const interval = between(histogram([5, 5, 5, 0.05]), histogram([0.005, 0.005, 0.005, 0.005, 0.005]))
    expect(quantile(interval, "h", 0.5)).toBeLessThanOrEqual(0.01)
  })

  it("is the last bound beyond it, and unknown of nothing", () => {
    expect(quantile(between("", histogram([100, 200])), "h", 0.5)).toBe(10)
    expect(quantile(between(histogram([1]), histogram([1])), "h", 0.5)).toBeUndefined()
    expect(quantile(between("", "x 1"), "h", 0.5)).toBeUndefined()
  })
})
