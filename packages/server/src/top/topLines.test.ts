/** What `sibyl top` makes of any metrics, and how it is drawn on any screen. */
import { Effect } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { paintWith, withoutColours } from "../output/paint.ts"
import type { Sample } from "./exposition.ts"
import { names } from "./metricNames.ts"
import { frame, openScreen } from "./screen.ts"
import { cut, topLines } from "./topLines.ts"
import { topView } from "./topView.ts"

const label = fc.constantFrom("mode", "phase", "host", "outcome", "status", "le", "version")
const text = fc.constantFrom("FIXED", "execution", "a.example", "2xx", "0.1", "+Inf", "")
const metric = fc
  .constantFrom(...Object.values(names))
  .chain((name) => fc.constantFrom(name, `${name}_bucket`, `${name}_count`, `${name}_sum`))
const sample: fc.Arbitrary<Sample> = fc.record({
  name: metric,
  labels: fc.dictionary(label, text, { noNullPrototype: true }),
  value: fc.oneof(fc.double(), fc.nat())
})
const scrape = fc.array(sample, { maxLength: 80 }).map((samples) => ({ samples }))

describe("the view", () => {
  it("is made of any two scrapes: figures are finite or null, rates of counters are never negative", () => {
    const numbersIn = (value: unknown): ReadonlyArray<number> =>
      typeof value === "number" ? [value] : typeof value === "object" && value !== null ? Object.values(value).flatMap(numbersIn) : []
    const positive = fc.array(
      sample.map((each) => ({ ...each, value: Number.isFinite(each.value) ? Math.abs(each.value) : 0 })),
      { maxLength: 80 }
    )
    fc.assert(
      fc.property(positive, positive, (before, after) => {
        const view = topView({ before: { samples: before }, after: { samples: after }, seconds: 2 }, 0)
        expect(Object.values(view.runs.perSecond).every((rate) => rate >= 0)).toBe(true)
        expect(view.upstreams.every(({ requestsPerSecond }) => requestsPerSecond >= 0)).toBe(true)
        expect(numbersIn(view).every((figure) => !Number.isNaN(figure))).toBe(true)
        expect(JSON.parse(JSON.stringify(view))).toEqual(view)
      })
    )
  })

  it("of a server without any of the metrics is empty, and can be drawn", () => {
    const view = topView({ before: { samples: [] }, after: { samples: [{ name: "other", labels: {}, value: 1 }] }, seconds: 2 }, 0)
    expect(view).toMatchObject({ feeds: [], upstreams: [], runs: { perSecond: {}, inFlight: null }, process: { memoryBytes: null } })
    expect(topLines(view, "here", paintWith(false)).join("\n")).toContain("no feeds")
  })
})

const coloured = fc
  .array(fc.tuple(fc.constantFrom("bold", "red", "dim"), fc.stringMatching(/^[ -~]{0,30}$/)), { maxLength: 6 })
  .map((parts) => parts.map(([colour, part]) => paintWith(true)(colour as "bold", part)).join(" "))

describe("the screen", () => {
  it("has lines of its width, whose colours end with them", () => {
    fc.assert(
      fc.property(coloured, fc.integer({ min: 1, max: 60 }), (line, width) => {
        const shown = cut(line, width)
        const plain = withoutColours(shown)
        expect(plain.length).toBeLessThanOrEqual(width)
        expect(withoutColours(line).startsWith(plain.replace(/…$/, ""))).toBe(true)
        expect(shown.match(/\u001b\[0m/g)?.length).toBe(line.match(/\u001b\[0m/g)?.length)
      })
    )
  })

  it("is drawn over from its corner, never cleared first, and has its height", () => {
    fc.assert(
      fc.property(fc.array(coloured, { maxLength: 40 }), fc.integer({ min: 1, max: 30 }), (lines, rows) => {
        const drawn = frame(lines, 40, rows)
        expect(drawn.startsWith("\u001b[H")).toBe(true)
        expect(drawn.endsWith("\u001b[J")).toBe(true)
        expect(drawn).not.toContain("\u001b[2J")
        expect(drawn.split("\r\n").length).toBeLessThanOrEqual(rows)
      })
    )
  })

  it("is of the usual size on a terminal that tells 0 columns and rows, as on one that tells none", () => {
    const drawnOn = (size: { readonly columns?: number; readonly rows?: number }) => {
      const written: Array<string> = []
      const terminal = { ...size, write: (text: string) => written.push(text), on: () => {}, off: () => {} }
      Effect.runSync(Effect.scoped(Effect.map(openScreen(terminal), (draw) => draw(["a line", "another"]))))
      return written.join("")
    }
    expect(drawnOn({ columns: 0, rows: 0 })).toBe(drawnOn({}))
    expect(drawnOn({ columns: 0, rows: 0 })).toContain("a line")
  })

  it("of a usual size shows what is wrong with the server and its own figures, however many upstreams there are", () => {
    const hosts = Array.from({ length: 40 }, (_, at): Sample => ({
      name: names.upstreamRequests,
      labels: { host: `${at}.example` },
      value: 1
    }))
    const feeds = ["FIXED", "PARALLEL", "SEQUENTIAL"].map((mode): Sample => ({ name: names.feeds, labels: { mode }, value: 1 }))
    const view = topView({ before: { samples: [] }, after: { samples: [...feeds, ...hosts] }, seconds: 2 }, 0)
    const drawn = frame(topLines(view, "here", paintWith(false), "nothing answers there"), 80, 24)
    for (const text of ["nothing answers there", "runs ", "SEQUENTIAL", "memory ", "event loop "]) expect(drawn).toContain(text)
  })

  it("shows any view", () => {
    fc.assert(
      fc.property(scrape, scrape, (before, after) => {
        const lines = topLines(topView({ before, after, seconds: 2 }, 0), "http://127.0.0.1:8717", paintWith(false))
        expect(lines.some((line) => line.includes("undefined") || line.includes("NaN"))).toBe(false)
      })
    )
  })
})
