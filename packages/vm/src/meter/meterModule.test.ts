/** What the meter charges, and that it changes nothing else. */
import type { Phase } from "@sibyl/core"
import {
  call,
  drop,
  encodeModule,
  f32Bits,
  f64Bits,
  f64Const,
  hostImport,
  i32,
  i32Const,
  i32Store,
  i64Store,
  type ModuleSource
} from "@sibyl/testing/wasm"
import { describe, expect, it } from "vitest"
import { endingOf, passOf } from "../testdata/runProgram.ts"
import { moduleNamed, moduleNames } from "../testdata/vectors.ts"
import { meterProgram } from "../pass/prepare.ts"
import { operatorPrices } from "./survey/prices.ts"

const startup = 5_000_000_000_000n

/** Gas of a program's operators: everything beyond start-up. The program makes no host call with a price. */
const operatorGas = (source: Omit<ModuleSource, "imports">, phase: Phase): bigint => {
  const ending = endingOf(encodeModule({ ...source, imports: [hostImport.procExit] }), phase)
  expect(ending.exitCode).toBe(0)
  return ending.gasUsed - startup
}

const cost = (phase: Phase, plain: number, accounting: number): bigint =>
  BigInt(plain * operatorPrices[phase].plain + accounting * operatorPrices[phase].accounting)

const start = (...code: ReadonlyArray<ReadonlyArray<number>>): Omit<ModuleSource, "imports"> => ({
  memory: 1,
  functions: [{ code: code.flat() }]
})

const memoryCopy = [...i32Const(0), ...i32Const(8), ...i32Const(4), 0xfc, 10, 0, 0]
const memoryFill = [...i32Const(0), ...i32Const(8), ...i32Const(4), 0xfc, 11, 0]
const memoryGrow = [...i32Const(1), 0x40, 0, drop]

describe("operator prices", () => {
  it("execution charges memory.copy three times plain, memory.fill twice, memory.grow once", () => {
    expect(operatorGas(start(memoryCopy), "exec")).toBe(cost("exec", 3 + 3, 1))
    expect(operatorGas(start(memoryFill), "exec")).toBe(cost("exec", 3 + 2, 1))
    expect(operatorGas(start(memoryGrow), "exec")).toBe(cost("exec", 1 + 1 + 1, 1))
  })

  it("tally charges memory.copy and memory.fill plain, memory.grow a million", () => {
    expect(operatorGas(start(memoryCopy), "tally")).toBe(cost("tally", 3 + 1, 1))
    expect(operatorGas(start(memoryFill), "tally")).toBe(cost("tally", 3 + 1, 1))
    expect(operatorGas(start(memoryGrow), "tally")).toBe(cost("tally", 1 + 1, 1) + 1_000_000n)
  })

  it.each([
    ["exec", 4n * BigInt(operatorPrices.exec.plain)],
    ["tally", 0n]
  ] as const)("%s charges the bytes of a long table index to the block after the call", (phase, more) => {
    const indirect = (table: ReadonlyArray<number>): Omit<ModuleSource, "imports"> => ({
      memory: 1,
      table: [1],
      functions: [{ code: [0x01] }, { code: [...i32Const(0), 0x11, 1, ...table] }]
    })
    const short = operatorGas(indirect([0]), phase)
    expect(operatorGas(indirect([0x80, 0x80, 0x80, 0x80, 0]), phase) - short).toBe(more)
  })

  it.each(["exec", "tally"] as const)("%s charges every other prefixed operator plain", (phase) => {
    // A passive data segment and a data count, as compilers emit them.
    const source: Omit<ModuleSource, "imports"> = {
      ...start([...i32Const(0), ...i32Const(0), ...i32Const(2), 0xfc, 8, 0, 0, 0xfc, 9, 0], [...f64Const(1.5), 0xfc, 2, drop]),
      extra: [
        { id: 12, content: [1] },
        { id: 11, content: [1, 1, 2, 7, 8] }
      ]
    }
    expect(operatorGas(source, phase)).toBe(cost(phase, 3 + 1 + 1 + 1 + 1 + 1, 1))
  })

  it("costs ten times as much in tally as in execution, block for block", () => {
    const source = start([0x02, 0x40, ...i32Const(1), 0x0d, 0, 0x0b], [...i32Const(0), 0x04, 0x40, 0x05, 0x01, 0x0b], [0x01])
    expect(operatorGas(source, "tally")).toBe(10n * operatorGas(source, "exec"))
  })
})

describe("canonical NaN bits", () => {
  const nan64 = f64Bits(0xfff4_0000_0000_0001n)
  const nan32 = f32Bits(0xffa0_0001)
  const bits = (code: ReadonlyArray<number>): string => {
    const program = encodeModule({
      imports: [hostImport.executionResult],
      memory: 1,
      functions: [{ code: [...code, ...i32Const(0), ...i32Const(8), ...call(0)] }]
    })
    return Buffer.from(endingOf(program, "exec").result ?? []).toString("hex")
  }

  it("stores", () => {
    expect(bits([...i32Const(0), ...nan64, 0x39, 0, 0])).toBe("000000000000f87f")
    expect(bits([...i32Const(0), ...nan32, 0x38, 0, 0])).toBe("0000c07f00000000")
    expect(bits([...i32Const(0), ...f64Const(-0), 0x39, 0, 0])).toBe("0000000000000080")
  })

  it("reinterpretations", () => {
    expect(bits([...i32Const(0), ...nan64, 0xbd, ...i64Store(0)])).toBe("000000000000f87f")
    expect(bits([...i32Const(0), ...nan32, 0xbc, ...i32Store(0)])).toBe("0000c07f00000000")
    expect(bits([...i32Const(0), ...f64Const(-1), 0xbd, ...i64Store(0)])).toBe("000000000000f0bf")
  })

  it("the sign that copysign takes", () => {
    expect(bits([...i32Const(0), ...f64Const(2), ...nan64, 0xa6, 0x39, 0, 0])).toBe("0000000000000040")
    expect(bits([...i32Const(0), 0x43, 0, 0, 0, 0x40, ...nan32, 0x98, 0x38, 0, 0])).toBe("0000004000000000")
    expect(bits([...i32Const(0), ...f64Const(2), ...f64Const(-1), 0xa6, 0x39, 0, 0])).toBe("00000000000000c0")
  })

  it("changes no type in unreachable code", () => {
    const program = encodeModule({
      imports: [hostImport.procExit],
      memory: 1,
      functions: [{ code: [0x00, 0x39, 0, 0, 0xbc, drop, 0x98, drop] }]
    })
    expect(endingOf(program, "exec").stderr).toEqual(["unreachable"])
  })
})

describe("the metered module", () => {
  it.each(moduleNames)("%s gives a module that the engine accepts, or is refused by both", (name) => {
    const bytes = moduleNamed(name)
    for (const phase of ["exec", "tally"] as const) {
      const verdict = meterProgram(bytes, phase, 160)
      if (verdict.accepted) {
        expect(WebAssembly.validate(verdict.value.metered)).toBe(true)
        expect(WebAssembly.validate(Uint8Array.from(bytes))).toBe(true)
      } else expect(["malformed", "feature"]).toContain(verdict.refusal.kind)
    }
  })

  it.each([
    ["parameters", "exec"],
    ["parameters", "tally"],
    ["results", "exec"]
  ] as const)("accepts as many %s as leave room for the gas, in %s, and refuses more itself", (which, phase) => {
    const withMany = (count: number): Uint8Array =>
      encodeModule({
        imports: [hostImport.procExit],
        functions: [{ [which]: Array.from({ length: count }, () => i32), code: [0x00] }, { code: [] }]
      })
    const most = meterProgram(withMany(999), phase, 160)
    expect(most.accepted && WebAssembly.validate(most.value.metered)).toBe(true)
    const more = meterProgram(withMany(1_000), phase, 160)
    expect(more.accepted ? "accepted" : more.refusal.kind).toBe("bound")
  })

  it("keeps functions that only an export makes valid for ref.func", () => {
    const program = encodeModule({
      imports: [hostImport.procExit],
      memory: 1,
      functions: [{ code: [] }, { code: [0xd2, 2, drop] }]
    })
    expect(endingOf(program, "exec").exitCode).toBe(0)
  })

  it("has no parts that the program can access: an index beyond its own is refused", () => {
    const withCode = (code: ReadonlyArray<number>): Uint8Array =>
      encodeModule({ imports: [hostImport.procExit], memory: 1, functions: [{ locals: [i32], code }] })
    for (const code of [
      [0x42, 0, 0x24, 0],
      [0x23, 0, drop],
      [0x10, 2],
      [0x20, 1, drop],
      [0x02, 2, 0x0b]
    ]) {
      const verdict = meterProgram(withCode(code), "exec", 160)
      expect(verdict.accepted ? "accepted" : verdict.refusal.kind).toBe("invalid")
    }
  })

  it("bounds the growth of memory and tables", () => {
    const grow = (pages: number): ReadonlyArray<number> => [...i32Const(0), ...i32Const(pages), 0x40, 0, ...i32Store(0)]
    const table = [...i32Const(4), 0xd0, 0x70, ...i32Const(65_536), 0xfc, 15, 0, ...i32Store(0)]
    const program = encodeModule({
      imports: [hostImport.executionResult, hostImport.procExit],
      memory: 1,
      table: [2],
      functions: [{ code: [...grow(160), ...table, ...i32Const(0), ...i32Const(8), ...call(0)] }]
    })
    for (const phase of ["exec", "tally"] as const) {
      expect(Buffer.from(endingOf(program, phase).result ?? []).toString("hex")).toBe("ffffffffffffffff")
    }
  })
})

describe("running out of gas", () => {
  const program = encodeModule({
    imports: [hostImport.executionResult, hostImport.procExit],
    memory: 1,
    functions: [
      {
        locals: [i32],
        code: [
          ...i32Const(0),
          ...i32Const(0),
          ...call(0),
          0x03,
          0x40,
          0x20,
          0,
          ...i32Const(1),
          0x6a,
          0x22,
          0,
          ...i32Const(20_000),
          0x49,
          0x0d,
          0,
          0x0b
        ]
      }
    ]
  })

  it.each(["exec", "tally"] as const)("%s succeeds with the exact limit, and fails with one unit less, for any slices", (phase) => {
    const full = endingOf(program, phase)
    expect(full.exitCode).toBe(0)
    const exact = endingOf(program, phase, { gasLimit: full.gasUsed })
    expect([exact.exitCode, exact.gasUsed]).toEqual([0, full.gasUsed])
    const short = endingOf(program, phase, { gasLimit: full.gasUsed - 1n })
    expect([short.exitCode, short.gasUsed, short.stderr]).toEqual([phase === "exec" ? 1 : 250, full.gasUsed - 1n, ["Ran out of gas"]])
  })

  it("accepts limits beyond a signed 64-bit integer", () => {
    const ample = endingOf(program, "exec", { gasLimit: 2n ** 64n - 1n })
    expect(ample.gasUsed).toBe(endingOf(program, "exec").gasUsed)
  })
})

describe("an overflowing stack", () => {
  it("is a result of the pass, not an exception", () => {
    const program = encodeModule({
      imports: [hostImport.procExit],
      memory: 1,
      functions: [{ parameters: [i32], code: [0x20, 0, ...call(1)] }, { code: [...i32Const(1), ...call(1)] }]
    })
    expect(passOf(program, "exec", { gasLimit: 2n ** 63n })).toEqual({ kind: "stackOverflow" })
  })
})
