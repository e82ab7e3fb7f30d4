/** What `sibyl profile`, and `--profile` elsewhere, print of a profile. */
import type { GasRow, PhaseProfile, ProgramOutcome } from "@sibyl/devkit"
import { describe, expect, it } from "vitest"
import { jsonDocument } from "../output/jsonDocument.ts"
import { paintWith } from "../output/paint.ts"
import { dearestDocument, dearestLines } from "./dearestFunctions.ts"
import { profileAnswer } from "./profileAnswer.ts"

const plain = paintWith(false)
const phase = { exitCode: 0, gasUsed: 0n, result: new Uint8Array(), stdout: "", stderr: "" }

const row = (name: string, self: bigint, more: Partial<GasRow> = {}): GasRow => ({
  name,
  kind: "function",
  self,
  total: self,
  calls: 2,
  ...more
})

const outcomeOf = (...profiles: ReadonlyArray<PhaseProfile>): ProgramOutcome => ({
  programId: "aa",
  tallyProgramId: "bb",
  drId: "cc",
  exitCode: 0,
  result: new Uint8Array(),
  text: "",
  gasUsed: 10_000n,
  exec: phase,
  tally: null,
  calls: [],
  profiles,
  durationMs: 1,
  price: { base: 1n, gas: 0n, dataProxies: 0n, total: 1n }
})

const execution: PhaseProfile = {
  phase: "exec",
  gasUsed: 10_000n,
  rows: [
    row("(start)", 5_000n, { kind: "start", calls: 1 }),
    row("seda_v1.http_fetch", 2_345n, { kind: "host", calls: 1 }),
    row("_start", 2_000n, { total: 5_000n, calls: 1 }),
    row("parse", 600n, { total: 655n }),
    row("median", 55n),
    row("never dear", 0n)
  ],
  tree: []
}
const missing: PhaseProfile = { phase: "tally", gasUsed: 7n, rows: [], tree: [], missing: "the wall clock ended the phase" }

/** A number for each row of the table: its own gas. */
const selfIn = (lines: ReadonlyArray<string>): ReadonlyArray<bigint> =>
  lines.flatMap((line) => {
    const [, self] = /^ *([\d,]+) +[\d.]+ %/.exec(line) ?? []
    return self === undefined ? [] : [BigInt(self.replaceAll(",", ""))]
  })

const sum = (values: ReadonlyArray<bigint>): bigint => values.reduce((total, value) => total + value, 0n)

describe("the answer of a profile", () => {
  it("has a table for each phase, whose self gas adds up to the phase's gas", () => {
    const lines = profileAnswer(outcomeOf(execution, missing), "a.speedscope.json").lines(plain)
    expect(lines).toEqual([
      "execution: 10,000 gas",
      " self   share  total  calls  function",
      "5,000  50.0 %  5,000      1  (start)",
      "2,345  23.4 %  2,345      1  seda_v1.http_fetch",
      "2,000  20.0 %  5,000      1  _start",
      "  600   6.0 %    655      2  parse",
      "   55   0.6 %     55      2  median",
      "    0   0.0 %      0      2  never dear",
      "",
      "tally: 7 gas",
      "no profile: the wall clock ended the phase",
      "",
      "flame graph: a.speedscope.json (open it at https://www.speedscope.app)"
    ])
    expect(sum(selfIn(lines))).toBe(10_000n)
  })

  it("has one row for all functions beyond the limit, with their total gas", () => {
    const many = Array.from({ length: 40 }, (_, at) => row(`f${at}`, BigInt(40 - at)))
    const gasUsed = sum(many.map(({ self }) => self))
    const answer = profileAnswer(outcomeOf({ phase: "exec", gasUsed, rows: many, tree: [] }), null)
    const lines = answer.lines(plain)
    expect(lines.filter((line) => /^ *120 +14\.6 % +30  \(15 others\)$/.test(line))).toHaveLength(1)
    expect(selfIn(lines)).toHaveLength(26)
    expect(sum(selfIn(lines))).toBe(gasUsed)
    expect(answer.document).toMatchObject({ phases: [{ rows: { length: 40 } }], flameGraph: null })
  })

  it("is a JSON document with integers of any size as text", () => {
    const document: unknown = JSON.parse(jsonDocument(profileAnswer(outcomeOf(execution), "a.json").document))
    expect(document).toMatchObject({
      gasUsed: "10000",
      phases: [{ phase: "exec", gasUsed: "10000", missing: null }],
      flameGraph: "a.json"
    })
    expect(document).toHaveProperty("phases.0.rows.2", { name: "_start", kind: "function", self: "2000", total: "5000", calls: 1 })
  })
})

describe("the functions with the most gas", () => {
  it("are the program's own three per phase", () => {
    expect(dearestLines(outcomeOf(execution, missing), "", plain)).toEqual([
      "",
      "execution, dearest functions",
      "    gas   share  calls  function",
      "  2,000  20.0 %      1  _start",
      "    600   6.0 %      2  parse",
      "     55   0.6 %      2  median",
      "",
      "tally, dearest functions",
      "  the wall clock ended the phase"
    ])
    expect(dearestDocument(outcomeOf(execution))).toMatchObject({ dearest: [{ phase: "exec", functions: { length: 3 } }] })
  })

  it("are left out without a profile", () => {
    expect([dearestLines(outcomeOf(), "", plain), dearestDocument(outcomeOf())]).toEqual([[], {}])
  })
})
