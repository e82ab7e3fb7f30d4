/** Programs that compute for as long as they may, each with another kind of work. */
import { call, drop, end, f32, f64, f64Const, i32Const, i64, i64Const, localGet, localSet, u32 } from "../wasm/instructions.ts"
import { type Bomb, type Code, forever, stopped, times } from "./bomb.ts"

/** An operator on two 64-bit numbers, over and over, in local 1. */
const binary = (operator: Code, seed: bigint): Code =>
  forever([...localGet(1), ...i64Const(seed), ...operator, ...i64Const(3n), 0x84, ...localSet(1)])

const float = (operator: number, seed: number): Code => forever([...localGet(1), ...f64Const(seed), operator, ...localSet(1)])

const wide = (count: number): Code => [...u32(count), ...times(count, [0]), 0]

/** Loops in loops, each of which goes on for ever. */
const nested = (depth: number): Code => [...times(depth, [0x03, 0x40]), ...times(depth, [...i32Const(1), 0x0d, 0, end])]

/** Loops around one kind of work. */
export const computing: ReadonlyArray<Bomb> = [
  stopped("an empty endless loop", { code: forever([]) }),
  stopped("an endless loop by br_if", { code: [0x03, 0x40, ...i32Const(1), 0x0d, 0, end] }),
  stopped("an endless loop by br_table", { code: [0x03, 0x40, ...localGet(0), 0x0e, 1, 0, 0, end] }),
  stopped("an endless loop by a br_table of 1,000 targets", { code: [0x03, 0x40, ...localGet(0), 0x0e, ...wide(1_000), end] }),
  stopped("100 loops inside each other", { code: nested(100) }),
  stopped("64-bit divisions", { locals: [i64], code: binary([0x80], 7n) }),
  stopped("64-bit remainders with signs", { locals: [i64], code: binary([0x81], -7n) }),
  stopped("64-bit multiplications", { locals: [i64], code: binary([0x7e], 0x9e37_79b9_7f4a_7c15n) }),
  stopped("64-bit rotations", { locals: [i64], code: binary([0x89], 13n) }),
  stopped("square roots", { locals: [f64], code: forever([...localGet(1), 0x9f, ...f64Const(2), 0xa0, ...localSet(1)]) }),
  stopped("divisions of floating-point numbers", { locals: [f64], code: float(0xa3, 3) }),
  stopped("arithmetic with denormal numbers", { locals: [f64], code: float(0xa0, 5e-324) }),
  stopped("arithmetic with NaN", { locals: [f64], code: float(0xa2, Number.NaN) }),
  stopped("32-bit floating-point rounding", {
    locals: [f32],
    code: forever([...localGet(1), 0x8d, 0x8e, 0x8f, 0x90, 0x91, ...localSet(1)])
  }),
  stopped("counts of bits", { code: forever([...localGet(0), 0x67, 0x68, 0x69, ...localSet(0)]) }),
  stopped("conversions forth and back", { code: forever([...localGet(0), 0xb7, 0xfc, 2, ...localSet(0)]) }),
  stopped("selects", { code: forever([...localGet(0), ...i32Const(1), ...localGet(0), 0x1b, ...localSet(0)]) }),
  stopped("calls of an empty function", { functions: [{ code: [] }], code: forever(call(1)) }),
  stopped("calls of a function with 100 parameters", {
    functions: [{ parameters: times(100, [i64]), code: [] }],
    code: forever([...times(100, i64Const(1n)), ...call(1)])
  }),
  stopped("indirect calls", {
    functions: [{ code: [] }],
    table: [1, 1, 1, 1],
    code: forever([...localGet(0), ...i32Const(3), 0x71, 0x11, 1, 0])
  }),
  stopped("a global that is changed", {
    globals: [{ type: i64, mutable: true, initial: i64Const(1n) }],
    code: forever([0x23, 0, ...i64Const(3n), 0x7e, 0x24, 0])
  }),
  stopped("500 KB of code in a loop", { code: forever(times(120_000, [...localGet(0), 0x45, 0x1a])) }),
  stopped("an endless loop in another function", { functions: [{ code: forever([]) }], code: call(1) }),
  stopped("a loop whose value is a block's", { code: [0x03, 0x7f, ...localGet(0), 0x0c, 0, end, drop] })
]
