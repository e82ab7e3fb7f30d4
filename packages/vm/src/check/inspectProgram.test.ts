/** The inspection finds each feature in the module that has it, and nothing in the smallest module. */
import { Either } from "effect"
import { describe, expect, it } from "vitest"
import { inspectProgram } from "./inspectProgram.ts"
import { moduleNamed } from "../testdata/vectors.ts"

const factsOf = (name: string) => Either.getOrThrow(inspectProgram(moduleNamed(name)))

const nothing = {
  hasStartSection: false,
  floatArithmetic: 0,
  referenceTypes: 0,
  passiveSegments: 0,
  bulkMemory: 0,
  multiValue: 0
}

describe("the inspection of a program", () => {
  it("finds nothing in the smallest one", () => {
    expect(factsOf("min_return")).toMatchObject(nothing)
  })

  it.each([
    ["nan_bits", "floatArithmetic"],
    ["ref_types", "referenceTypes"],
    ["multi_value_func", "multiValue"],
    ["multi_value_block", "multiValue"]
  ] as const)("finds in %s that it has %s", (name, fact) => {
    expect(factsOf(name)[fact]).toBeGreaterThan(0)
  })

  it("finds a start section, the memory and the imports", () => {
    expect(factsOf("start_section").hasStartSection).toBe(true)
    expect(factsOf("mem_max_161").memory).toMatchObject({ maximumPages: 161 })
    expect(factsOf("import_storage").imports).toContainEqual(expect.stringMatching(/^seda_v1\.storage_/))
  })

  it("refuses anything but a module", () => {
    expect(Either.flip(inspectProgram(Uint8Array.of(1, 2, 3))).pipe(Either.getOrThrow)).toMatchObject({
      _tag: "ProgramRefused",
      reason: "malformed"
    })
  })
})
