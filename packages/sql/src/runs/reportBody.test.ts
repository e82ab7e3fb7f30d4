/** The stored form of a report equals what its schema would write, and is decoded to the same report. */
import { ExecutionReport } from "@sibyl/core"
import { sampleReport } from "@sibyl/testing"
import { Arbitrary, Schema } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decodeReport, encodeReport } from "./reportBody.ts"

const encodeBySchema = Schema.encodeSync(Schema.parseJson(ExecutionReport))

describe("a report's body", () => {
  it("equals the schema's encoding exactly, and is decoded to the same report", () => {
    fc.assert(
      fc.property(Arbitrary.make(ExecutionReport), (report) => {
        expect(encodeReport(report)).toBe(encodeBySchema(report))
        expect(decodeReport(encodeReport(report))).toEqual(report)
      }),
      { numRuns: 300 }
    )
  })

  it("does not depend on the kind of byte array", () => {
    const report = sampleReport({ projectId: "p", id: "r", executedAtMs: 1, total: 3n })
    const bytes = Buffer.from(`..${"abc".repeat(9)}`).subarray(2)
    const plain = { ...report, execute: { ...report.execute, result: Uint8Array.from(bytes) } }
    expect(encodeReport({ ...report, execute: { ...report.execute, result: bytes } })).toBe(encodeReport(plain))
    expect(encodeReport(plain)).toMatch(/^\{"id":"r",/)
  })
})
