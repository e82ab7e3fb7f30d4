/** Our verdict on a module equals V8's, and is at least as strict as JavaScriptCore's, which does not check dead code. */
import { drop, encodeModule, end, f64Const, hostImport, i32, i32Const, i64, i64Const } from "@sibyl/testing/wasm"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { meterProgram } from "../pass/prepare.ts"
import { generatedProgram } from "../testdata/generatedProgram.ts"
import { mutatedModule } from "../testdata/mutatedModule.ts"
import { operatorSoup } from "../testdata/operatorSoup.ts"

const onBun = process.versions["bun"] !== undefined
const numRuns = Number(process.env["SIBYL_PROPERTY_RUNS"] ?? 1_500)

const kindOf = (bytes: Uint8Array): string => {
  const verdict = meterProgram(bytes, "exec", 160)
  return verdict.accepted ? "accepted" : verdict.refusal.kind
}

/** What we accept every engine accepts, metered or not; what V8 refuses we refuse, and nothing else. */
const compare = (bytes: Uint8Array): string => {
  const verdict = meterProgram(bytes, "exec", 160)
  const valid = WebAssembly.validate(Uint8Array.from(bytes))
  if (verdict.accepted) {
    expect([valid, WebAssembly.validate(verdict.value.metered)]).toEqual([true, true])
    return "accepted"
  }
  const { kind } = verdict.refusal
  if (valid && !onBun) expect(["feature", "bound"]).toContain(kind)
  return kind
}

describe("the verdict on a module is that of the engine", () => {
  it("for bodies of random operators", () => {
    const counts: Record<string, number> = {}
    fc.assert(
      fc.property(operatorSoup, (bytes) => {
        const kind = compare(bytes)
        counts[kind] = (counts[kind] ?? 0) + 1
      }),
      { numRuns }
    )
    expect(counts["accepted"] ?? 0).toBeGreaterThan(numRuns / 50)
    expect(counts["invalid"] ?? 0).toBeGreaterThan(numRuns / 10)
  })

  it("for golden modules with bytes changed", () => {
    fc.assert(
      fc.property(mutatedModule, (bytes) => void compare(bytes)),
      { numRuns }
    )
  })

  it("for programs with bytes of their code changed", () => {
    const changed = fc
      .tuple(generatedProgram, fc.array(fc.tuple(fc.double({ min: 0, max: 0.9999, noNaN: true }), fc.nat(255)), { maxLength: 3 }))
      .map(([bytes, edits]) => {
        const copy = Uint8Array.from(bytes)
        for (const [place, byte] of edits) copy[Math.floor(place * copy.length)] = byte
        return copy
      })
    fc.assert(
      fc.property(changed, (bytes) => void compare(bytes)),
      { numRuns: numRuns / 3 }
    )
  })
})

/** A module with one import, one global, and one function with two locals; `end` follows the code. */
const withCode = (...code: ReadonlyArray<number>): Uint8Array =>
  encodeModule({
    imports: [hostImport.procExit],
    memory: 1,
    globals: [{ type: i32, mutable: false, initial: i32Const(0) }],
    functions: [{ locals: [i32, i64], code }],
    types: [{ parameters: [], results: [i32] }]
  })

describe("the bytes of a body", () => {
  it.each([
    ["malformed", "has operators after its end", [end, 0x01]],
    ["malformed", "has operators after an end at which a value is left", [...i32Const(0), end, 0x01]],
    ["malformed", "ends with an operator", [0x41]],
    ["malformed", "ends within an operator", [0x41, 0x80]],
    ["invalid", "names a local that does not exist", [0x20, 2, drop]],
    ["invalid", "names a global that does not exist", [0x23, 1, drop]],
    ["invalid", "names a function that does not exist", [0x10, 2]],
    ["accepted", "names the last of all", [0x20, 1, drop, 0x23, 0, drop]],
    ["accepted", "has an index with more bytes than it needs", [0x20, 0x81, 0x00, drop, 0x23, 0x80, 0x80, 0x00, drop]]
  ])("are %s if it %s", (kind, _, code) => {
    expect(compare(withCode(...code))).toBe(kind)
  })
})

describe("unreachable code", () => {
  const dead = 0x00

  it.each([
    ["adds an i64 to an i32", [dead, ...i32Const(0), ...i64Const(0n), 0x6a, drop]],
    ["adds one f64 to anything as an i32", [dead, ...f64Const(0), 0x6a, drop]],
    ["leaves a value behind", [dead, ...i32Const(0)]],
    ["leaves a value in a block", [0x02, 0x40, dead, ...i32Const(0), end]],
    ["ends a block with another type", [0x02, i32, dead, ...i64Const(0n), end, drop]],
    ["branches with another type", [0x02, i32, dead, ...i64Const(0n), 0x0c, 0, end, drop]],
    ["follows br", [0x02, 0x40, 0x0c, 0, ...i64Const(0n), 0x45, drop, end]],
    ["follows return", [0x0f, ...i64Const(0n), 0x45, drop]],
    ["follows br_table", [...i32Const(0), 0x0e, 0, 0, ...i64Const(0n), 0x45, drop]],
    ["is in a block of dead code", [dead, 0x02, 0x40, 0x1a, end]],
    ["is in a loop of dead code", [dead, 0x03, 0x40, 0x45, drop, end]],
    ["selects among two types", [dead, ...i32Const(0), ...i64Const(0n), ...i32Const(0), 0x1b, drop]],
    ["sets a constant global", [dead, 0x24, 0]],
    ["sets a local to another type", [dead, ...i64Const(0n), 0x21, 0]],
    ["has an if without else that gives a value", [dead, 0x04, i32, ...i32Const(1), end, drop]],
    ["loads with too large an alignment", [dead, 0x28, 3, 0, drop]],
    ["names targets of different arity", [0x02, 0x40, 0x02, i32, dead, 0x0e, 1, 0, 1, end, drop, end]],
    ["calls with another type", [dead, ...i64Const(0n), 0x10, 0]],
    ["refers to an undeclared function", [dead, 0xd2, 0, drop]]
  ])("is refused if it %s", (_, code) => {
    expect(kindOf(withCode(...code))).toBe("invalid")
  })

  it.each([
    ["pops a missing operand", [dead, 0x6a, drop, 0x1a, 0x1a]],
    ["gives a block whatever it needs", [0x02, i32, dead, end, drop]],
    ["branches with a missing operand", [0x02, i32, dead, 0x0c, 0, end, drop]],
    ["names targets of two types of one arity", [0x02, i32, 0x02, i64, dead, 0x0e, 1, 0, 1, end, drop, dead, end, drop]],
    ["selects among missing operands", [dead, 0x1b, 0x45, drop]],
    ["asks whether nothing is null", [dead, 0xd1, drop]]
  ])("is accepted if it %s", (_, code) => {
    expect(compare(withCode(...code))).toBe("accepted")
  })
})
