/** The texts of traps: the same for all engines, checked on the engine that runs the tests. */
import { drop, encodeModule, f64Const, hostImport, i32Const, i64Const } from "@sibyl/testing/wasm"
import { describe, expect, it } from "vitest"
import { endingOf } from "../testdata/runProgram.ts"

type Code = ReadonlyArray<number>

const trapping: ReadonlyArray<readonly [string, Code, string]> = [
  ["unreachable", [0x00], "unreachable"],
  ["i32.div_s by zero", [...i32Const(1), ...i32Const(0), 0x6d, drop], "integer divide by zero or remainder by zero"],
  ["i64.rem_u by zero", [...i64Const(1n), ...i64Const(0n), 0x82, drop], "integer divide by zero or remainder by zero"],
  ["i32.div_s overflow", [...i32Const(-(2 ** 31)), ...i32Const(-1), 0x6d, drop], "divide result unrepresentable"],
  ["i64.trunc_f64_u", [...f64Const(-1), 0xb1, drop], "float unrepresentable in integer range"],
  ["i32.trunc_f64_s of NaN", [...f64Const(Number.NaN), 0xaa, drop], "float unrepresentable in integer range"],
  ["i32.load", [...i32Const(65_533), 0x28, 0, 0, drop], "memory access out of bounds"],
  ["memory.fill", [...i32Const(65_536), ...i32Const(0), ...i32Const(1), 0xfc, 11, 0], "memory access out of bounds"],
  ["memory.copy", [...i32Const(0), ...i32Const(65_536), ...i32Const(1), 0xfc, 10, 0, 0], "memory access out of bounds"],
  ["call_indirect out of range", [...i32Const(7), ...i32Const(9), 0x11, 0, 0], "table index is out of bounds"],
  ["call_indirect of null", [...i32Const(7), ...i32Const(1), 0x11, 0, 0], "null function or function signature mismatch"],
  ["call_indirect of another type", [...i32Const(7), ...i32Const(0), 0x11, 0, 0], "null function or function signature mismatch"],
  ["table.get", [...i32Const(9), 0x25, 0, drop], "table index is out of bounds"],
  ["table.set", [...i32Const(9), 0xd0, 0x70, 0x26, 0], "table index is out of bounds"],
  ["table.fill", [...i32Const(1), 0xd0, 0x70, ...i32Const(2), 0xfc, 17, 0], "table index is out of bounds"],
  ["table.copy", [...i32Const(0), ...i32Const(1), ...i32Const(2), 0xfc, 14, 0, 0], "table index is out of bounds"],
  ["table.init", [...i32Const(0), ...i32Const(0), ...i32Const(9), 0xfc, 12, 0, 0], "table index is out of bounds"]
]

describe("the text of a trap", () => {
  it.each(trapping)("%s", (_, code, text) => {
    const program = encodeModule({
      // Type 0 is that of proc_exit, (i32) -> (); entry 0 has type 1, () -> (); entry 1 is null.
      imports: [hostImport.procExit],
      memory: 1,
      functions: [{ code: [] }, { code }],
      extra: [
        { id: 4, content: [1, 0x70, 0, 2] },
        { id: 9, content: [1, 0, 0x41, 0, 0x0b, 1, 1] }
      ]
    })
    expect(endingOf(program, "exec").stderr).toEqual([text])
    expect(endingOf(program, "tally").stderr).toEqual([])
  })
})
