/** Programs that end in a trap, a full stack, or a lack of memory: one for each way. */
import { call, drop, end, f32Bits, f64Const, i32, i32Const, i64, i64Const, localGet, u32 } from "../wasm/instructions.ts"
import { type Bomb, type Code, fill, section, stopped, vector } from "./bomb.ts"

const load = (operator: number, offset: number): Code => [...i32Const(0), operator, 0, ...u32(offset), drop]
const store = (operator: number, value: Code, at: number): Code => [...i32Const(at), ...value, operator, 0, 0]

const pastTheEnd = 65_536

const divide = (operator: number, left: Code, right: Code): Code => [...left, ...right, operator, drop]

/** A table that has one function and one empty place. */
const withTable = (code: Code) => ({
  functions: [{ parameters: [i32], code: [] }],
  extra: [section(4, vector([[0x70, 0, 2]])), section(9, vector([[0, ...i32Const(0), end, ...vector([u32(1)])]]))],
  code
})

/** One for each trap of the standard, and for each limit that is one to a program. */
export const traps: ReadonlyArray<Bomb> = [
  stopped("unreachable", { code: [0x00] }),
  stopped("a division by zero, 32 bits", { code: divide(0x6d, i32Const(1), i32Const(0)) }),
  stopped("a remainder by zero, 64 bits", { code: divide(0x82, i64Const(1n), i64Const(0n)) }),
  stopped("a quotient that overflows, 32 bits", { code: divide(0x6d, i32Const(-2_147_483_648), i32Const(-1)) }),
  stopped("a quotient that overflows, 64 bits", { code: divide(0x7f, i64Const(-(2n ** 63n)), i64Const(-1n)) }),
  stopped("NaN as an integer", { code: [...f64Const(Number.NaN), 0xaa, drop] }),
  stopped("infinity as an integer", { code: [...f32Bits(0x7f80_0000), 0xae, drop] }),
  stopped("an integer out of range", { code: [...f64Const(1e30), 0xb1, drop] }),
  stopped("a read of a byte past the end", { code: load(0x2d, pastTheEnd) }),
  stopped("a read across the end", { code: load(0x29, pastTheEnd - 7) }),
  stopped("a read at the largest offset", { code: load(0x28, 4_294_967_295) }),
  stopped("a write of a byte past the end", { code: store(0x3a, i32Const(1), pastTheEnd) }),
  stopped("a write across the end", { code: store(0x37, i64Const(1n), pastTheEnd - 7) }),
  stopped("a write at address minus one", { code: store(0x36, i32Const(1), -1) }),
  stopped("a fill past the end", { code: fill(1, 1, pastTheEnd) }),
  stopped("a copy from past the end", { code: [...[0, pastTheEnd, 1].flatMap(i32Const), 0xfc, 0x0a, 0, 0] }),
  stopped("a copy to past the end", { code: [...[pastTheEnd, 0, 1].flatMap(i32Const), 0xfc, 0x0a, 0, 0] }),
  stopped("an indirect call past the table", withTable([...i32Const(1), ...i32Const(2), 0x11, 1, 0])),
  stopped("an indirect call of nothing", withTable([...i32Const(1), ...i32Const(1), 0x11, 1, 0])),
  stopped("an indirect call of another type", withTable([...i32Const(0), 0x11, 2, 0])),
  stopped("a host call past the end of memory", { imports: ["keccak256"], code: [...[65_530, 100].flatMap(i32Const), ...call(0), drop] }),
  stopped("a stack that is full", {
    functions: [{ parameters: [i32], code: [...localGet(0), ...call(1)] }],
    code: [...i32Const(1), ...call(1)]
  }),
  stopped("a stack that is full of locals", { functions: [{ localRuns: [[400, i64]], code: call(1) }], code: call(1) }),
  stopped("memory that cannot grow, and is used as if it could", {
    code: [...i32Const(65_000), 0x40, 0, drop, ...i32Const(100 * 65_536), ...i32Const(1), 0x36, 0, 0]
  }),
  stopped("gas that has run out", { code: [0x03, 0x40, 0x01, 0x0c, 0, end] }),
  stopped("a trap inside of calls", {
    functions: [{ parameters: [i32], code: [...localGet(0), 0x04, 0x40, 0x00, end] }],
    code: [...i32Const(1), ...call(1)]
  })
]
