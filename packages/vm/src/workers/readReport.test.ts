/** Reports of worker processes: those that workers write are read back, and nothing else is taken for one. */
import { serialize } from "node:v8"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { WorkerReport } from "../orders/messages.ts"
import type { PassResult } from "../pass/pass.ts"
import { type ProcessReport, processReportOf } from "./processMessages.ts"
import { readReport } from "./readReport.ts"

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

const gas = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const ending = fc.record({
  exitCode: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  exitMessage: fc.string(),
  gasUsed: gas,
  gasCharged: gas,
  result: fc.option(fc.uint8Array(), { nil: undefined }),
  resultLength: fc.nat(),
  stdout: fc.array(fc.string()),
  stderr: fc.array(fc.string()),
  reason: fc.option(fc.string(), { nil: undefined })
})

const fetchCall = fc.webUrl().map((url) => {
  const request = { url, method: "GET", headers: [], body: new Uint8Array(), timeoutMs: undefined, publicKey: undefined }
  return { kind: "fetch" as const, action: utf8(JSON.stringify({ url })), request }
})
const storageCall = fc.constantFrom("read" as const, "delete" as const).map((operation) => {
  const keys = ["00ff"]
  return { kind: "storage" as const, action: utf8(JSON.stringify({ keys })), request: { operation, keys } }
})

const result: fc.Arbitrary<PassResult> = fc.oneof(
  fc.record({ kind: fc.constant("done" as const), ending }),
  fc.record({ kind: fc.constant("done" as const), ending, usedAhead: fc.nat() }),
  fc.record({ kind: fc.constant("needs" as const), call: fc.oneof(fetchCall, storageCall), gasUsed: gas }),
  fc.record({ kind: fc.constant("stackOverflow" as const) })
)

const tally = fc.oneof(
  fc.constant(undefined),
  fc.record({ consensus: fc.boolean(), ending }),
  fc.record({ consensus: fc.constant(false), refusal: fc.record({ exitCode: fc.integer(), result: fc.uint8Array() }) })
)

const reports: fc.Arbitrary<WorkerReport> = fc.oneof(
  fc.constant({ kind: "ready" as const }),
  fc.constant({ kind: "leftOut" as const }),
  fc.record({ kind: fc.constant("defect" as const), message: fc.string() }),
  fc.record({
    kind: fc.constant("checked" as const),
    fault: fc.option(fc.string(), { nil: undefined }),
    prepared: fc.constant([])
  }),
  fc.record({
    kind: fc.constant("passed" as const),
    result,
    ranMs: fc.nat(),
    prepared: fc.constant([]),
    tally,
    tallyMs: fc.nat(),
    signed: fc.constant(undefined)
  })
)

/** Each place in a value, as the names that lead there. */
const placesIn = (value: unknown): ReadonlyArray<ReadonlyArray<string>> =>
  typeof value !== "object" || value === null || ArrayBuffer.isView(value)
    ? [[]]
    : [[], ...Object.entries(value).flatMap(([name, part]) => placesIn(part).map((rest) => [name, ...rest]))]

const replaced = (value: unknown, [name, ...rest]: ReadonlyArray<string>, by: unknown): unknown => {
  if (name === undefined) return by
  if (Array.isArray(value)) return value.map((part, at) => (String(at) === name ? replaced(part, rest, by) : part))
  return Object.fromEntries(
    Object.entries(value as object).map(([key, part]: [string, unknown]) => [key, key === name ? replaced(part, rest, by) : part])
  )
}

describe("a report of a worker process", () => {
  it("is read as it was written", () => {
    fc.assert(
      fc.property(reports, (report) => {
        expect(readReport(serialize(processReportOf(report)))).toEqual(report)
      }),
      { numRuns: 500 }
    )
  })

  it("tells when its tally phase began", () => {
    expect(readReport(serialize({ kind: "tallyBegan", afterMs: 12.5 } satisfies ProcessReport))).toEqual({
      kind: "tallyBegan",
      afterMs: 12.5
    })
  })

  it("is none if any part of it has another form", () => {
    const wrong = [null, {}, -1, Number.NaN, -1n, [[]], { kind: "done" }]
    fc.assert(
      fc.property(reports, fc.nat(), fc.constantFrom(...wrong), (report, pick, by) => {
        const written = processReportOf(report)
        const places = placesIn(written)
        const at = places[pick % places.length] ?? []
        // An exit code may be any whole number.
        fc.pre(!(typeof by === "number" && at.at(-1) === "exitCode"))
        expect(readReport(serialize(replaced(written, at, by)))).toBeUndefined()
      }),
      { numRuns: 2_000 }
    )
  })

  it("is none if its bytes are anything, and reading them never fails", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(readReport(bytes)).toBeUndefined()
      }),
      { numRuns: 1_000 }
    )
    fc.assert(
      fc.property(reports, fc.nat(), fc.integer({ min: 0, max: 255 }), (report, at, byte) => {
        const bytes = Uint8Array.from(serialize(processReportOf(report)))
        bytes[at % bytes.length] = byte
        expect(() => readReport(bytes)).not.toThrow()
      }),
      { numRuns: 2_000 }
    )
  })

  it("is none if what its call asks for cannot be read", () => {
    const call = { kind: "fetch", action: utf8("{}") }
    expect(
      readReport(serialize({ kind: "passed", result: { kind: "needs", call, gasUsed: 0n }, tally: undefined, tallyMs: 0 }))
    ).toBeUndefined()
  })
})
