// Pieces of code that are dear to compile for their size; each leaves the operand stack as it was.
import { encodeModule, hostImport } from "@sibyl/testing/wasm"

const [i32, i64, f64] = [0x7f, 0x7e, 0x7c]

const u32 = (value) => {
  const bytes = []
  let rest = value
  do {
    bytes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0))
    rest >>>= 7
  } while (rest > 0)
  return bytes
}
const s32 = (value) => {
  const bytes = []
  let rest = value
  for (;;) {
    const byte = rest & 0x7f
    rest >>= 7
    if ((rest === 0 && (byte & 0x40) === 0) || (rest === -1 && (byte & 0x40) !== 0)) return [...bytes, byte]
    bytes.push(byte | 0x80)
  }
}
const i32Const = (value) => [0x41, ...s32(value)]
const get = (local) => [0x20, ...u32(local)]
const set = (local) => [0x21, ...u32(local)]
const tee = (local) => [0x22, ...u32(local)]
const END = 0x0b
const brIf = (depth) => [0x0d, ...u32(depth)]

/** Code of `count` repetitions; arrays are joined flat at the end. */
const times = (count, code) =>
  Array.from({ length: Math.max(0, Math.round(count)) }, (_, at) => (typeof code === "function" ? code(at) : code))

/**
 * The context of a function: `n` integer locals from 2 on (0 is 0 when called, 1 is 1), all of type i32; then `n` of i64 and f64.
 * Each gadget takes two sizes, `a` (width) and `b` (how often).
 */
export const gadgets = {
  emptyIfs: ({ b }) => times(b, [get(0), 0x04, 0x40, END]),
  ifElseChange: ({ a, b, local }) =>
    times(b, (at) => [
      get(0),
      0x04,
      0x40,
      times(a, (k) => [get(local(k + at)), ...i32Const(at + 1), 0x6a, set(local(k + at))]),
      0x05,
      times(a, (k) => [i32Const(k), set(local(k + at))]),
      END
    ]),
  blocksBranch: ({ a, b, local }) =>
    times(b, (at) => [0x02, 0x40, times(a, (k) => [get(local(k)), i32Const(k), 0x6a, set(local(k + at)), get(0), brIf(0)]), END]),
  nestedBlocks: ({ a, b, local }) => [
    times(a, [0x02, 0x40]),
    times(b, (at) => [get(0), brIf(at % Math.max(1, Math.round(a))), get(local(at)), i32Const(1), 0x6a, set(local(at * 7))]),
    times(a, [END])
  ],
  brTables: ({ a, b, local }) =>
    times(b, (at) => [
      times(a, [0x02, 0x40]),
      get(0),
      0x0e,
      u32(Math.round(a) - 1),
      times(Math.round(a) - 1, (k) => u32(k)),
      u32(Math.round(a) - 1),
      times(a, (k) => [get(local(k)), i32Const(at), 0x6a, set(local(k + at)), END])
    ]),
  loops: ({ a, b, local }) =>
    times(b, (at) => [0x03, 0x40, times(a, (k) => [get(local(k)), i32Const(k + 1), 0x6a, set(local(k + at))]), get(0), brIf(0), END]),
  nestedLoops: ({ a, b, local }) => [
    times(b, [0x03, 0x40]),
    times(a, (k) => [get(local(k)), i32Const(k + 1), 0x6a, set(local(k + 1))]),
    times(b, [get(0), brIf(0), END])
  ],
  manyBackEdges: ({ a, b, local }) => [
    0x03,
    0x40,
    times(b, (at) => [times(a, (k) => [get(local(k + at)), i32Const(1), 0x6a, set(local(k + at))]), get(0), brIf(0)]),
    END
  ],
  hotLoop: ({ a, b, local }) => [
    i32Const(200),
    set(local(0)),
    0x03,
    0x40,
    times(b, (at) => times(a, (k) => [get(local(k + 1 + at)), get(local(k + 2)), 0x6c, set(local(k + 3 + at))])),
    get(local(0)),
    i32Const(1),
    0x6b,
    tee(local(0)),
    brIf(0),
    END
  ],
  loopsInLoops: ({ a, b, local }) => [
    0x03,
    0x40,
    times(b, (at) => [
      0x03,
      0x40,
      times(a, (k) => [get(local(k)), i32Const(k), 0x6a, set(local(k + at))]),
      get(0),
      brIf(0),
      get(0),
      brIf(1),
      END
    ]),
    END
  ],
  selects: ({ a, b, local }) => times(b, (at) => [times(a, (k) => [get(local(k)), get(local(k + at)), get(0), 0x1b, set(local(k + 1))])]),
  deepOperands: ({ a, b, local }) => times(b, (at) => [times(a, (k) => get(local(k + at))), times(a - 1, 0x6a), set(local(at))]),
  operandsOverIfs: ({ a, b, local }) => [
    times(a, (k) => get(local(k))),
    times(b, [get(0), 0x04, 0x40, END]),
    times(a - 1, 0x73),
    set(local(0))
  ],
  operandsOverCalls: ({ a, b, local }) => [
    times(a, (k) => get(local(k))),
    times(b, [0x10, ...u32(2), 0x1a]),
    times(a - 1, 0x73),
    set(local(0))
  ],
  divisions: ({ a, b, local }) => times(b, (at) => times(a, (k) => [get(local(k)), get(1), 0x6d, set(local(k + at))])),
  remainders: ({ a, b, local }) => times(b, (at) => times(a, (k) => [get(local(k)), get(1), 0x6f, set(local(k + at))])),
  loads: ({ a, b, local }) => times(b, (at) => times(a, (k) => [get(local(k)), 0x28, 2, ...u32(k * 4), set(local(k + at))])),
  stores: ({ a, b, local }) => times(b, (at) => times(a, (k) => [get(0), get(local(k)), 0x36, 2, ...u32(k * 4 + at)])),
  longStores: ({ b, wide }) => times(b, (at) => [get(0), get(wide(at)), 0x37, 3, ...u32(at * 8)]),
  floatStores: ({ b, float }) => times(b, (at) => [get(0), get(float(at)), 0x39, 3, ...u32(at * 8)]),
  floatChains: ({ a, b, float }) => times(b, (at) => times(a, (k) => [get(float(k)), get(float(k + at)), 0xa4, set(float(k + 1))])),
  truncations: ({ a, b, float, local }) => times(b, (at) => times(a, (k) => [get(float(k)), 0xaa, set(local(k + at))])),
  saturations: ({ b, float, wide }) => times(b, (at) => [get(float(at)), 0xfc, 6, set(wide(at))]),
  conversions: ({ a, b, float, wide }) => times(b, (at) => times(a, (k) => [get(wide(k)), 0xba, set(float(k + at))])),
  rotations: ({ a, b, wide }) => times(b, (at) => times(a, (k) => [get(wide(k)), get(wide(k + 1)), 0x89, set(wide(k + at))])),
  popcounts: ({ b, wide }) => times(b, (at) => [get(wide(at)), 0x7b, set(wide(at + 1))]),
  calls: ({ b, local }) => times(b, (at) => [0x10, ...u32(2), set(local(at))]),
  wideCalls: ({ b, local }) => times(b, (at) => [times(50, (k) => get(local(k + at))), 0x10, ...u32(3), times(50, (k) => set(local(k)))]),
  indirectCalls: ({ b, local }) => times(b, (at) => [get(0), 0x11, 2, 0, set(local(at))]),
  globals: ({ b, local }) => times(b, (at) => [0x23, 0, get(local(at)), 0x6a, 0x24, 0]),
  fills: ({ b }) => times(b, [get(0), get(0), get(0), 0xfc, 11, 0]),
  copies: ({ b }) => times(b, [get(0), get(0), get(0), 0xfc, 10, 0, 0]),
  grows: ({ b, local }) => times(b, (at) => [get(0), 0x40, 0, set(local(at))]),
  returns: ({ b }) => times(b, [get(0), 0x04, 0x40, 0x0f, END]),
  traps: ({ b }) => times(b, [get(0), 0x04, 0x40, 0x00, END])
}

export const gadgetNames = Object.keys(gadgets)

/**
 * The module of a genome: `functions` alike functions, each with `locals` of each kind and its gadgets one after the other. The entry calls
 * all of them, so that engines find them hot.
 */
export const moduleOf = ({ functions, locals, parts, wrap }) => {
  const width = Math.max(1, Math.round(locals))
  const local = (at) => 2 + (Math.abs(Math.round(at)) % width)
  const wide = (at) => 2 + width + (Math.abs(Math.round(at)) % width)
  const float = (at) => 2 + 2 * width + (Math.abs(Math.round(at)) % width)
  const body = parts.map(({ a, b, gadget }) => gadgets[gadget]({ a: Math.max(1, a), b: Math.max(1, b), local, wide, float }))
  // Everything is alive until the end.
  const alive = wrap ? [times(Math.min(width, 400), (k) => [get(local(k)), 0x24, 0])] : []
  const code = [body, alive].flat(Infinity)
  const attack = {
    parameters: [i32, i32],
    localRuns: [
      [width, i32],
      [width, i64],
      [width, f64]
    ],
    code
  }
  const count = Math.max(1, Math.round(functions))
  const fifty = Array.from({ length: 50 }, () => i32)
  const entry = [times(count, (k) => [i32Const(0), i32Const(1), 0x10, ...u32(4 + k)])].flat(Infinity)
  return encodeModule({
    imports: [hostImport.procExit],
    memory: 1,
    table: [2],
    globals: [{ type: i32, mutable: true, initial: [0x41, 0] }],
    functions: [
      { code: [i32Const(0), 0x1a].flat() },
      { results: [i32], code: [...i32Const(7)] },
      { parameters: fifty, results: fifty, code: times(50, (k) => get(k)).flat(Infinity) },
      ...Array.from({ length: count }, () => attack),
      { code: entry }
    ]
  })
}
