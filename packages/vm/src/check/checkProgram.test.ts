/** The verdict at deployment, and that runs agree with it. */
import { defaultLimits, type Phase } from "@sibyl/core"
import { encodeModule } from "@sibyl/testing/wasm"
import { Either } from "effect"
import { describe, expect, it } from "vitest"
import { checkProgram } from "./checkProgram.ts"
import { inspectProgram } from "./inspectProgram.ts"
import { endingOf } from "../testdata/runProgram.ts"
import { moduleNamed, moduleNames } from "../testdata/vectors.ts"

const verdictOf = (name: string, phase: Phase): string =>
  Either.match(checkProgram(moduleNamed(name), phase), { onLeft: ({ reason }) => reason, onRight: () => "fit" })

describe("the check of a program", () => {
  it.each([
    ["min_return", "fit", "fit"],
    ["simd", "feature", "feature"],
    ["tail_call", "feature", "feature"],
    ["multi_value_func", "fit", "feature"],
    ["import_unknown", "link", "link"],
    ["import_storage", "fit", "link"],
    ["import_bad_signature", "link", "link"],
    ["import_memory", "link", "link"],
    ["mem_min_161", "link", "link"],
    ["mem_max_161", "fit", "link"],
    ["start_section", "link", "link"],
    ["start_with_param", "fit", "link"],
    ["no_start", "link", "link"],
    ["no_memory_export", "fit", "link"],
    ["no_wasi", "fit", "link"]
  ])("finds %s %s for execution and %s for tally", (name, exec, tally) => {
    expect([verdictOf(name, "exec"), verdictOf(name, "tally")]).toEqual([exec, tally])
  })

  it("states what is wrong, and where", () => {
    expect(Either.getOrThrow(Either.flip(checkProgram(Uint8Array.of(0, 0x61, 0x73, 0x6d, 2), "exec")))).toMatchObject({
      _tag: "ProgramRefused",
      reason: "malformed",
      message: "unknown binary version",
      offset: 4
    })
  })

  it("has a short message, however long a name in the module is", () => {
    const name = "n".repeat(200_000)
    const program = encodeModule({ imports: [{ module: name, name }], functions: [{ code: [] }], memory: 1 })
    const { message } = Either.getOrThrow(Either.flip(checkProgram(program, "exec")))
    expect(message).toContain("nnnn")
    expect(message.length).toBeLessThan(400)
    expect(JSON.stringify(Either.getOrThrow(inspectProgram(program))).length).toBeLessThan(1_000)
  })

  it("refuses a program that is too large", () => {
    const program = moduleNamed("min_return")
    const limits = { ...defaultLimits, programBytes: program.length - 1 }
    expect(Either.isLeft(checkProgram(program, "exec", limits))).toBe(true)
    expect(Either.isRight(checkProgram(program, "exec", { ...limits, programBytes: program.length }))).toBe(true)
  })

  it.each(moduleNames)("agrees with the run about %s", (name) => {
    for (const phase of ["exec", "tally"] as const) {
      const { exitMessage } = endingOf(moduleNamed(name), phase, { gasLimit: 5_010_000_000_000n })
      const started = /^(Ok|Not ok)$/.test(exitMessage)
      // Only what is known when an instance is made (segments outside of memory) may fail in an accepted program.
      if (verdictOf(name, phase) === "fit") expect(started || exitMessage.includes("segment does not fit")).toBe(true)
      else expect(started && name !== "start_with_param").toBe(false)
    }
  })
})
