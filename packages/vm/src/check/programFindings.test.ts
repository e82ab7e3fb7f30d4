/** The check at deployment: each finding for the fact it is about, and nothing for a plain program. */
import { defaultLimits } from "@sibyl/core"
import { auditPrograms } from "@sibyl/testing"
import { describe, expect, it } from "vitest"
import type { ProgramFacts } from "./inspectProgram.ts"
import { makeProgramFindings, programFindings } from "./programFindings.ts"

const plain: ProgramFacts = {
  imports: ["seda_v1.http_fetch", "wasi_snapshot_preview1.args_get"],
  memory: { minimumPages: 1, maximumPages: null },
  hasStartSection: false,
  floatArithmetic: 0,
  referenceTypes: 0,
  passiveSegments: 0,
  bulkMemory: 3,
  multiValue: 0
}

const fine = { exec: null, tally: null }

const abouts = (change: Partial<ProgramFacts>) =>
  programFindings({ ...plain, ...change }, fine).map(({ about, level }) => `${level} ${about}`)

describe("the findings", () => {
  it.each<[string, Partial<ProgramFacts>]>([
    ["warning random", { imports: ["wasi_snapshot_preview1.random_get"] }],
    ["warning clock", { imports: ["wasi_snapshot_preview1.clock_time_get"] }],
    ["warning storage", { imports: ["seda_v1.storage_read"] }],
    ["warning referenceTypes", { referenceTypes: 1 }],
    ["warning passiveSegments", { passiveSegments: 1 }],
    ["note floats", { floatArithmetic: 1 }],
    ["note memoryMaximum", { memory: { minimumPages: 1, maximumPages: 161 } }]
  ])("name: %s", (finding, change) => {
    expect(abouts(change)).toEqual([finding])
  })

  it("are empty for a plain program, and name the phase that refuses another one", () => {
    expect(abouts({ memory: { minimumPages: 1, maximumPages: 160 } })).toEqual([])
    expect(programFindings(plain, { exec: null, tally: "no such import" })).toEqual([
      { level: "warning", about: "tally", message: "the tally phase refuses it: no such import" }
    ])
  })

  it("are those of the module and of both phases, and are remembered", () => {
    const asked: Array<string> = []
    const findings = makeProgramFindings(({ phase, programId }) => {
      asked.push(`${phase} ${programId}`)
      return phase === "tally" ? "it fetches" : undefined
    }, 2)
    const of = (programId: string, program: Uint8Array = auditPrograms.echo) => findings({ programId, program, limits: defaultLimits })
    expect(of("a")).toEqual([{ level: "warning", about: "tally", message: "the tally phase refuses it: it fetches" }])
    expect(of("a")).toBe(of("a"))
    expect(asked).toEqual(["exec a", "tally a"])
    for (const programId of ["b", "c", "a"]) of(programId)
    expect(asked.filter((each) => each === "exec a").length).toBe(2)
    expect(of("none", Uint8Array.of(1, 2, 3)).map(({ about }) => about)).toEqual(["tally"])
  })
})
