/** The module reader: what it refuses and why, and that it agrees with the engine on everything else. */
import type { Phase } from "@sibyl/core"
import { drop, encodeModule, f32, hostImport, i32, i32Add, i32Const, i64, type ModuleSource, u32 } from "@sibyl/testing/wasm"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { meterProgram } from "../pass/prepare.ts"
import { meaninglessBytes } from "../testdata/mutatedModule.ts"
import { moduleBounds } from "./moduleBounds.ts"
import type { Refusal } from "./refusal.ts"

const kindIn = (bytes: Uint8Array, phase: Phase): Refusal["kind"] | "accepted" => {
  const verdict = meterProgram(bytes, phase, 160)
  return verdict.accepted ? "accepted" : verdict.refusal.kind
}

const moduleOf = (source: Partial<ModuleSource>): Uint8Array =>
  encodeModule({ imports: [hostImport.procExit], functions: [{ code: [] }], memory: 1, ...source })

const withCode = (...code: ReadonlyArray<number>): Uint8Array => moduleOf({ functions: [{ code }] })

const section = (id: number, ...content: ReadonlyArray<number>): Uint8Array =>
  Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, id, ...u32(content.length), ...content])

describe("features", () => {
  const both: ReadonlyArray<readonly [string, Uint8Array]> = [
    ["return_call", withCode(0x12, 0)],
    ["return_call_indirect", withCode(0x13, 0, 0)],
    ["call_ref", withCode(0x14, 0)],
    ["try", withCode(0x06, 0x40, 0x0b)],
    ["throw", withCode(0x08, 0)],
    ["try_table", withCode(0x1f, 0x40, 0, 0x0b)],
    ["v128.const", withCode(0xfd, 12, ...Array.from({ length: 16 }, () => 0), drop)],
    ["atomic.fence", withCode(0xfe, 3, 0)],
    ["struct.new", withCode(0xfb, 0, 0)],
    ["ref.as_non_null", withCode(0xd4)],
    ["a tag section", section(13, 0)],
    ["a struct type", section(1, 1, 0x5f, 0)],
    ["a recursive group", section(1, 1, 0x4e, 0)],
    ["a vector parameter", section(1, 1, 0x60, 1, 0x7b, 0)],
    ["a typed reference", section(1, 1, 0x60, 1, 0x64, 0x70, 0)],
    ["a shared memory", section(5, 1, 3, 1, 1)],
    ["a 64-bit memory", section(5, 1, 4, 1)],
    ["two memories", section(5, 2, 0, 1, 0, 1)],
    ["a table with an initial value", section(4, 1, 0x40, 0, 0x70, 0, 1, 0xd0, 0x70, 0x0b)],
    ["an extended constant", moduleOf({ globals: [{ type: i32, mutable: false, initial: [...i32Const(1), ...i32Const(2), i32Add] }] })],
    ["another memory's load", withCode(...i32Const(0), 0x28, 0x42, 0, 0, drop)]
  ]

  it.each(both)("%s is refused in both phases", (_, bytes) => {
    expect([kindIn(bytes, "exec"), kindIn(bytes, "tally")]).toEqual(["feature", "feature"])
  })

  it.each([
    ["two results", moduleOf({ types: [{ parameters: [], results: [i32, i32] }] })],
    [
      "a block with parameters",
      moduleOf({
        types: [{ parameters: [i32], results: [i32] }],
        functions: [{ code: [...i32Const(1), 0x02, 2, 0x0b, drop] }]
      })
    ],
    ["a block whose type is an index", withCode(0x02, 1, 0x0b)]
  ])("%s is refused in tally and runs in execution", (_, bytes) => {
    expect([kindIn(bytes, "exec"), kindIn(bytes, "tally")]).toEqual(["accepted", "feature"])
  })
})

describe("bounds", () => {
  const many = (count: number, item: ReadonlyArray<number>): ReadonlyArray<number> => [
    ...u32(count),
    ...Array.from({ length: count }, () => item).flat()
  ]
  const nested = (depth: number): Uint8Array =>
    withCode(...Array.from({ length: depth }, () => [0x02, 0x40]).flat(), ...Array.from({ length: depth }, () => 0x0b))
  const locals = (count: number): Uint8Array =>
    Uint8Array.from([
      ...section(1, 1, 0x60, 0, 0),
      3,
      2,
      1,
      0,
      10,
      ...u32(u32(count).length + 5),
      1,
      ...u32(u32(count).length + 3),
      1,
      ...u32(count),
      i64,
      0x0b
    ])

  it.each([
    ["types", section(1, ...many(moduleBounds.types + 1, [0x60, 0, 0]))],
    ["a table of ten million elements", section(4, 1, 0x70, 0, ...u32(10_000_000))],
    ["tables", section(4, ...many(moduleBounds.tables + 1, [0x70, 0, 1]))],
    ["globals", section(6, ...many(moduleBounds.globals + 1, [i32, 0, ...i32Const(0), 0x0b]))],
    ["nested blocks", nested(moduleBounds.nesting + 1)],
    ["locals", locals(moduleBounds.localsOfFunction + 1)],
    ["locals beyond 32 bits", locals(4_000_000_000)]
  ])("too many: %s", (_, bytes) => {
    expect(kindIn(bytes, "exec")).toBe("bound")
  })

  it("accepts what is just within them", () => {
    expect(kindIn(nested(moduleBounds.nesting - 1), "exec")).toBe("accepted")
    expect(kindIn(locals(moduleBounds.localsOfFunction), "exec")).toBe("accepted")
    expect(kindIn(section(4, 1, 0x70, 0, ...u32(moduleBounds.tableElements)), "exec")).toBe("accepted")
  })

  it("bounds the locals of all functions together", () => {
    const each = 20_000
    const count = moduleBounds.locals / each + 1
    const body = [...u32(u32(each).length + 3), 1, ...u32(each), f32, 0x0b]
    const bytes = Uint8Array.from([
      ...section(1, 1, 0x60, 0, 0),
      3,
      ...u32(u32(count).length + count),
      ...many(count, [0]),
      10,
      ...u32(u32(count).length + count * body.length),
      ...many(count, body)
    ])
    expect(kindIn(bytes, "exec")).toBe("bound")
  })

  it("refuses a count that the remaining bytes cannot hold", () => {
    expect(kindIn(section(1, ...u32(0xffff_ffff)), "exec")).toBe("malformed")
  })
})

describe("any bytes", () => {
  const phases = ["exec", "tally"] as const

  it("are refused with a reason or metered, and never throw", () => {
    fc.assert(
      fc.property(meaninglessBytes, fc.constantFrom(...phases), (bytes, phase) => {
        expect(["accepted", "malformed", "feature", "bound", "invalid"]).toContain(kindIn(bytes, phase))
      }),
      { numRuns: 2_000 }
    )
  })
})
