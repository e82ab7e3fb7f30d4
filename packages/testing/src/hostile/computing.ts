/** Programs that compute for as long as they may, each with another kind of work. */
import { call, drop, end, f32, f64, f64Const, i32, i32Const, i64, i64Const, localGet, localSet, u32 } from "../wasm/instructions.ts"
import { asking, type Bomb, type Code, fill, forever, grow, stopped, times } from "./bomb.ts"

/** An operator on two 64-bit numbers, over and over, in local 1. */
const binary = (operator: Code, seed: bigint): Code =>
  forever([...localGet(1), ...i64Const(seed), ...operator, ...i64Const(3n), 0x84, ...localSet(1)])

const float = (operator: number, seed: number): Code => forever([...localGet(1), ...f64Const(seed), operator, ...localSet(1)])

/** Local 0, and the same plus a step, within a mask. */
const walk = (step: number, mask: number, code: Code): Code =>
  forever([...localGet(0), ...i32Const(step), 0x6a, ...i32Const(mask), 0x71, 0x22, 0, ...code])

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

const tenMib = 160

/** Loops that move memory. */
export const movingMemory: ReadonlyArray<Bomb> = [
  stopped("writes all over 10 MiB", { memory: tenMib, code: walk(4_160, 0x7f_ffff, [...i32Const(1), 0x3a, 0, 0]) }),
  stopped("reads all over 10 MiB", { memory: tenMib, code: walk(65_600, 0x7f_ffff, [0x28, 0, 0, 0x1a]) }),
  stopped("reads across the edges of lines", { memory: 1, code: walk(64, 0xfff, [0x29, 0, 61, 0x1a]) }),
  stopped("fills of 10 MiB", { memory: tenMib, code: forever(fill(0, 1, tenMib * 65_536)) }),
  stopped("fills of nothing", { code: forever(fill(0, 1, 0)) }),
  stopped("copies of 5 MiB onto themselves, one byte on", {
    memory: tenMib,
    code: forever([...[1, 0, 5 * 1_048_576].flatMap(i32Const), 0xfc, 0x0a, 0, 0])
  }),
  stopped("copies of one byte", { code: forever([...[1, 0, 1].flatMap(i32Const), 0xfc, 0x0a, 0, 0]) }),
  stopped("the size of memory", { code: forever([0x3f, 0, drop]) }),
  stopped("growing by one page for ever", { code: forever(grow(1)) }),
  stopped("growing by nothing", { code: forever(grow(0)) }),
  stopped("growing by 65,535 pages", { code: forever(grow(65_535)) }),
  stopped("growing by 4,294,967,295 pages", { code: forever(grow(-1)) }),
  stopped("growing, and filling what is there", {
    code: forever([...grow(1), ...i32Const(0), ...i32Const(7), 0x3f, 0, ...i32Const(16), 0x74, 0xfc, 0x0b, 0])
  }),
  stopped("hashes of 10 MiB", { imports: ["keccak256"], memory: tenMib, code: forever(asking(0, 0, tenMib * 65_536)) })
]

const bodyOf = (locals: ReadonlyArray<number>, code: Code) => ({ parameters: [i32], results: [i32], locals, code })

/** Programs that call themselves. */
export const recursive: ReadonlyArray<Bomb> = [
  stopped("a function that calls itself", { functions: [{ code: call(1) }], code: call(1) }),
  stopped("_start that calls itself", { code: call(1) }),
  stopped("a function with 1,000 locals that calls itself", {
    functions: [{ localRuns: [[1_000, i64]], code: [...call(1), ...times(1_000, (at) => [...localGet(at), 0x1a])] }],
    code: call(1)
  }),
  stopped("a function with 200 operands that calls itself", {
    functions: [bodyOf([], [...times(200, localGet(0)), ...call(1), ...times(199, [0x6a])])],
    code: [...i32Const(1), ...call(1), drop]
  }),
  stopped("two functions that call each other", { functions: [{ code: call(2) }, { code: call(1) }], code: call(1) }),
  stopped("a function that calls itself through a table", {
    functions: [{ code: [...i32Const(0), 0x11, 1, 0] }],
    table: [1],
    code: call(1)
  }),
  stopped("a recursion that ends in a host call", {
    imports: ["keccak256"],
    functions: [{ code: [...asking(0, 0, 32), ...call(2)] }],
    code: call(2)
  }),
  stopped("a tree of calls", { functions: [{ code: [...call(1), ...call(1)] }], code: call(1) }),
  stopped("a recursion with floating-point numbers", {
    functions: [{ parameters: [f64], results: [f64], code: [...localGet(0), ...f64Const(1.5), 0xa2, ...call(1)] }],
    code: [...f64Const(1), ...call(1), drop]
  }),
  stopped("the Ackermann function", {
    functions: [
      {
        parameters: [i32, i32],
        results: [i32],
        // m = 0: n + 1; n = 0: A(m - 1, 1); else A(m - 1, A(m, n - 1)).
        code: [
          ...localGet(0),
          0x45,
          0x04,
          0x7f,
          ...localGet(1),
          ...i32Const(1),
          0x6a,
          0x05,
          ...localGet(0),
          ...i32Const(-1),
          0x6a,
          ...localGet(1),
          0x45,
          0x04,
          0x7f,
          ...i32Const(1),
          0x05,
          ...localGet(0),
          ...localGet(1),
          ...i32Const(-1),
          0x6a,
          ...call(1),
          end,
          ...call(1),
          end
        ]
      }
    ],
    code: [...i32Const(4), ...i32Const(4), ...call(1), drop]
  })
]
