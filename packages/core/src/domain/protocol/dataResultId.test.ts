/** The signed exit code is a byte, and no failure is signed as a success (decision D22). */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { aReport } from "../../testdata/reports.ts"
import { toHex } from "../encoding/bytes.ts"
import { dataResultIdOf, signedExitCode } from "./dataResultId.ts"

describe("signedExitCode", () => {
  it("keeps a byte and maps everything else to 255, never to 0", () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer(), fc.integer({ min: -300, max: 600 })), (code) => {
        expect(signedExitCode(code)).toBe(code >= 0 && code < 256 ? code : 255)
        expect(signedExitCode(code) === 0).toBe(code === 0)
      })
    )
  })
})

describe("dataResultIdOf", () => {
  it("is 32 bytes that depend on every field", () => {
    const { dataResult } = aReport
    const changed = [
      { ...dataResult, version: "0.0.2" },
      { ...dataResult, drId: "00".repeat(32) },
      { ...dataResult, consensus: false },
      { ...dataResult, exitCode: 1 },
      { ...dataResult, result: Uint8Array.of(0) },
      { ...dataResult, blockHeight: 1n },
      { ...dataResult, blockTimestamp: 1n },
      { ...dataResult, gasUsed: 1n },
      { ...dataResult, paybackAddress: Uint8Array.of(0) },
      { ...dataResult, servicePayload: Uint8Array.of(0) }
    ]
    const ids = [dataResult, ...changed].map((result) => toHex(dataResultIdOf(result)))
    expect(new Set(ids).size).toBe(1 + Object.keys(dataResult).length)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{64}$/)
  })
})
