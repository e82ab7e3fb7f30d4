/** Running audits: checks, results, grades and their text. */
import { describe, expect, it } from "vitest"
import { type Audit, audit, beside } from "./audit.ts"
import { holds, keysAre, matches, same } from "./check.ts"
import { printReport } from "./printReport.ts"
import { runAudits } from "./runAudits.ts"

const auditOf = (id: string, level: Audit<number>["level"], body: Parameters<typeof audit<number>>[4]): Audit<number> =>
  audit(id, level, "D0", `the rule of ${id}`, body)

const seven = auditOf("A-001", "MUST", async (target) => [same("number", target, 7), holds("positive", target > 0)])
const shouldEven = auditOf("A-002", "SHOULD", async (target) => [holds("even", target % 2 === 0, target)])
const mayBeSkipped = auditOf("A-003", "MAY", async () => ({ skip: "the target has nothing to check" }))
const breaking = auditOf("A-004", "MUST", async () => Promise.reject(new Error("connection refused")))
const throwing = auditOf("A-005", "MUST", async (target) => {
  if (target > 0) throw new TypeError("a surprise")
  return []
})

describe("checks", () => {
  it("compare JSON values with the order of their keys, and distinguish absent from null", () => {
    expect(same("x", { a: 1, b: [null] }, { a: 1, b: [null] }).ok).toBe(true)
    expect(same("x", { b: [null], a: 1 }, { a: 1, b: [null] }).ok).toBe(false)
    expect(same("x", undefined, null).ok).toBe(false)
    expect(same("x", 1, "1").ok).toBe(false)
  })

  it("match texts only", () => {
    expect(matches("x", "12", /^\d+$/).ok).toBe(true)
    expect(matches("x", 12, /^\d+$/).ok).toBe(false)
    expect(matches("x", undefined, /undefined/).ok).toBe(false)
  })

  it("compare keys with their order", () => {
    expect(keysAre("x", { a: 1, b: 2 }, ["a", "b"]).ok).toBe(true)
    expect(keysAre("x", { b: 2, a: 1 }, ["a", "b"]).ok).toBe(false)
    expect(keysAre("x", undefined, []).ok).toBe(false)
  })
})

describe("a run", () => {
  it("keeps the order and counts by level; a failed SHOULD does not decide", async () => {
    const report = await runAudits(7, [seven, shouldEven, mayBeSkipped])
    expect(report.entries.map(({ id, result }) => [id, result.kind])).toEqual([
      ["A-001", "passed"],
      ["A-002", "failed"],
      ["A-003", "skipped"]
    ])
    expect(report.levels).toEqual({
      MUST: { passed: 1, failed: 0, skipped: 0 },
      SHOULD: { passed: 0, failed: 1, skipped: 0 },
      MAY: { passed: 0, failed: 0, skipped: 1 }
    })
    expect(report.conforms).toBe(true)
  })

  it("runs waiting audits concurrently with the others, and finishes all of them before the last", async () => {
    const said: Array<string> = []
    let tellEnd = (): void => {}
    const ended = new Promise<void>((resolve) => (tellEnd = resolve))
    const saying = (id: string, wait?: Promise<void>): Audit<number> =>
      auditOf(id, "MUST", async () => {
        said.push(`${id} begins`)
        await wait
        said.push(`${id} ends`)
        if (id === "A-012") tellEnd()
        return [holds("said", true)]
      })
    // The first waits for the second to end, which it could not if they ran one after the other.
    const waiting = saying("A-011", ended)
    const audits = [beside(waiting), saying("A-012"), saying("A-013")]
    const report = await runAudits(7, audits)
    expect(report.entries.map(({ id }) => id)).toEqual(["A-011", "A-012", "A-013"])
    expect(said).toEqual(["A-011 begins", "A-012 begins", "A-012 ends", "A-011 ends", "A-013 begins", "A-013 ends"])
    said.length = 0
    await runAudits(7, [waiting, saying("A-012")])
    expect(said).toEqual(["A-011 begins", "A-011 ends", "A-012 begins", "A-012 ends"])
  })

  it("does not conform when a MUST fails", async () => {
    const report = await runAudits(8, [seven, shouldEven])
    expect(report.conforms).toBe(false)
    expect(report.entries[0]?.result).toEqual({
      kind: "failed",
      failures: [{ what: "number", ok: false, expected: "7", actual: "8" }]
    })
  })

  it("treats a body that rejects or throws as a failed audit and continues", async () => {
    const report = await runAudits(7, [breaking, throwing, seven])
    expect(report.entries.map(({ result }) => result.kind)).toEqual(["failed", "failed", "passed"])
    expect(JSON.stringify(report.entries[0]?.result)).toContain("connection refused")
    expect(JSON.stringify(report.entries[1]?.result)).toContain("a surprise")
  })
})

describe("an audit without a check", () => {
  it("fails", async () => {
    const idle = auditOf("A-006", "MUST", async () => [])
    const report = await runAudits(7, [idle])
    expect(report.conforms).toBe(false)
    expect(report.entries[0]?.result).toMatchObject({ kind: "failed", failures: [{ actual: "none" }] })
  })
})

describe("a printed report", () => {
  it("shows every audit, what failed and why, and the verdict", async () => {
    const text = printReport(await runAudits(8, [seven, shouldEven, mayBeSkipped]))
    expect(text).toContain("FAIL A-001 MUST the rule of A-001 [D0]")
    expect(text).toContain("expected: 7\n         found:    8")
    expect(text).toContain("ok   A-002")
    expect(text).toContain("skip A-003 MAY the rule of A-003 [D0]\n       the target has nothing to check")
    expect(text).toContain("MUST: 0 passed, 1 failed, 0 skipped")
    expect(text.endsWith("The target does not conform.")).toBe(true)
  })

  it("can omit what passed", async () => {
    const text = printReport(await runAudits(8, [seven, shouldEven]), { onlyFailures: true })
    expect(text).not.toContain("A-002")
    expect(text).toContain("SHOULD: 1 passed, 0 failed, 0 skipped")
  })
})
