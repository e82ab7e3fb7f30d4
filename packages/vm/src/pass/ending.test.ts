/** How runs end: output within its limits, oversized results, programs that never start. */
import { defaultLimits } from "@sibyl/core"
import { call, drop, encodeModule, hostImport, i32, i32Const } from "@sibyl/testing/wasm"
import { describe, expect, it } from "vitest"
import { endingOf } from "../testdata/runProgram.ts"

const bytesOf = (text: string): ReadonlyArray<number> => [...new TextEncoder().encode(text)]

describe("output", () => {
  /** Writes these bytes to a stream in one call. */
  const writing = (bytes: ReadonlyArray<number>, fd = 1): Uint8Array =>
    encodeModule({
      imports: [hostImport.fdWrite],
      memory: 1,
      data: [
        { offset: 0, bytes: [64, 0, 0, 0, bytes.length, 0, 0, 0] },
        { offset: 64, bytes }
      ],
      functions: [{ code: [...i32Const(fd), ...i32Const(0), ...i32Const(1), ...i32Const(32), ...call(0), drop] }]
    })
  const limits = { ...defaultLimits, stdoutBytes: 4, stderrBytes: 4, resultBytes: 8 }

  it("is cut at a whole character in execution", () => {
    expect(endingOf(writing([...bytesOf("ab€")]), "exec", { limits }).stdout).toEqual(["ab"])
    expect(endingOf(writing([...bytesOf("a€b")]), "exec", { limits }).stdout).toEqual(["a€"])
  })

  it("that is not UTF-8 ends an execution when it is written", () => {
    const ending = endingOf(writing([0xff]), "exec")
    expect([ending.exitCode, ending.stderr]).toEqual([1, ["stream did not contain valid UTF-8"]])
    expect(endingOf(writing([0xe2, 0x82]), "exec").exitCode).toBe(1)
  })

  it("has the VM's message after the program's output, on its own line", () => {
    const program = (text: string): Uint8Array =>
      encodeModule({
        imports: [hostImport.fdWrite],
        memory: 1,
        data: [
          { offset: 0, bytes: [64, 0, 0, 0, text.length, 0, 0, 0] },
          { offset: 64, bytes: bytesOf(text) }
        ],
        functions: [{ code: [...i32Const(2), ...i32Const(0), ...i32Const(1), ...i32Const(32), ...call(0), drop, 0x00] }]
      })
    expect(endingOf(program("said"), "exec").stderr).toEqual(["said\nunreachable"])
    expect(endingOf(program("said\n"), "exec").stderr).toEqual(["said\nunreachable"])
  })

  it("and a result above its limit is withheld in execution with exit code 255, with unchanged gas", () => {
    const program = encodeModule({
      imports: [hostImport.executionResult, hostImport.procExit],
      memory: 1,
      functions: [{ code: [...i32Const(0), ...i32Const(9), ...call(0)] }]
    })
    const ending = endingOf(program, "exec", { limits })
    expect([ending.exitCode, ending.exitMessage, ending.result, ending.resultLength]).toEqual([
      255,
      "Result larger than 8bytes.",
      undefined,
      9
    ])
    expect(ending.gasUsed).toBe(endingOf(program, "exec").gasUsed)
  })
})

describe("the reason", () => {
  const trap = encodeModule({ imports: [hostImport.procExit], memory: 1, functions: [{ code: [0x00] }] })
  const exit = encodeModule({ imports: [hostImport.procExit], memory: 1, functions: [{ code: [...i32Const(7), ...call(0)] }] })
  const noModule = Uint8Array.of(1, 2, 3)

  it.each(["exec", "tally"] as const)("is given for every ending by the VM in %s, and for no other", (phase) => {
    const reason = (program: Uint8Array, over = {}) => endingOf(program, phase, over).reason
    expect(reason(trap)).toBe("unreachable")
    expect(reason(exit)).toBeUndefined()
    expect(reason(noModule)).toMatch(/magic|module|header/i)
    const tooLarge = encodeModule({
      imports: [hostImport.executionResult, hostImport.procExit],
      memory: 2,
      functions: [{ code: [...i32Const(0), ...i32Const(96_001), ...call(0)] }]
    })
    expect(reason(tooLarge)).toMatch(/^Result larger than 96000bytes\.$|result size exceeds/)
    const endless = encodeModule({
      imports: [hostImport.procExit],
      memory: 1,
      functions: [{ code: [0x03, 0x40, 0x0c, 0, 0x0b] }]
    })
    expect(reason(endless, { gasLimit: 5_010_000_000_000n })).toBe("Ran out of gas")
  })
})

describe("a program that does not start", () => {
  const startup = 5_000_000_000_000n
  const functions = [{ code: [] }]

  it.each([
    ["is no module", Uint8Array.of(1, 2, 3)],
    ["imports what does not exist", encodeModule({ imports: [{ module: "env", name: "abort" }], functions, memory: 1 })],
    ["imports with another type", encodeModule({ imports: [{ ...hostImport.keccak256, results: [] }], functions, memory: 1 })],
    ["has no entry", encodeModule({ imports: [hostImport.procExit], functions: [], memory: 1 })],
    ["has a start function", encodeModule({ imports: [hostImport.procExit], functions, memory: 1, extra: [{ id: 8, content: [1] }] })],
    ["wants too much memory", encodeModule({ imports: [hostImport.procExit], functions, memory: 161 })],
    [
      "has data outside of its memory",
      encodeModule({
        imports: [hostImport.procExit],
        functions,
        memory: 1,
        data: [{ offset: 65_536, bytes: [1] }]
      })
    ]
  ])("because it %s is charged its start-up in execution", (_, program) => {
    const ending = endingOf(program, "exec")
    expect([ending.exitCode, ending.gasUsed, ending.gasCharged]).toEqual([1, startup, startup])
    expect(ending.exitMessage).not.toBe("")
  })

  it("for lack of gas is not charged beyond its limit", () => {
    const ending = endingOf(encodeModule({ imports: [hostImport.procExit], functions, memory: 1 }), "exec", {
      gasLimit: 100n
    })
    expect([ending.exitCode, ending.gasUsed, ending.gasCharged]).toEqual([1, startup, 100n])
  })

  it("does not fail for a missing memory, a missing WASI import or parameters, in execution", () => {
    const tolerated = encodeModule({ functions: [{ parameters: [i32, 0x7e, 0x7d, 0x7c], code: [] }] })
    expect(endingOf(tolerated, "exec").exitCode).toBe(0)
  })
})
