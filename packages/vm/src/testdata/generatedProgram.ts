/** A generator of valid programs that end by themselves: arithmetic, memory, branches, bounded loops, calls. */
import {
  call,
  encodeModule,
  end,
  f32,
  f64,
  f64Const,
  hostImport,
  i32,
  i32Const,
  i32Store,
  i64,
  i64Const,
  i64Store,
  localGet,
  localSet
} from "@sibyl/testing/wasm"
import fc from "fast-check"

type Code = ReadonlyArray<number>
type Type = "i32" | "i64" | "f32" | "f64"

/** Two locals of each type for the program, and counters for its loops. */
const localsOf: Readonly<Record<Type, ReadonlyArray<number>>> = { i32: [0, 1], i64: [2, 3], f32: [4, 5], f64: [6, 7] }
const counters = [8, 9, 10]
const localTypes = [i32, i32, i64, i64, f32, f32, f64, f64, i32, i32, i32]

/** The imported `execution_result`, and a callable function: (i32, i64) -> i32. */
const resultIndex = 0
const helperIndex = 2

const range = (from: number, to: number): ReadonlyArray<number> => Array.from({ length: to - from + 1 }, (_, at) => from + at)

/** Operators by their operand and result types; those that expose NaN bits are excluded. */
const unary: Readonly<Record<Type, ReadonlyArray<readonly [Type, Code]>>> = {
  i32: [
    ["i32", [0x45]],
    ["i32", [0x67]],
    ["i32", [0x69]],
    ["i64", [0xa7]],
    ["i64", [0x50]],
    ["f32", [0xfc, 0]],
    ["f64", [0xfc, 3]],
    ["f64", [0xaa]],
    ["i32", [0xc0]]
  ],
  i64: [
    ["i32", [0xac]],
    ["i32", [0xad]],
    ["i64", [0x79]],
    ["f32", [0xfc, 5]],
    ["f64", [0xfc, 6]],
    ["i64", [0xc4]]
  ],
  f32: [
    ["f32", [0x8b]],
    ["f32", [0x91]],
    ["f64", [0xb6]],
    ["i32", [0xb2]],
    ["i64", [0xb5]]
  ],
  f64: [
    ["f64", [0x9a]],
    ["f64", [0x9f]],
    ["f32", [0xbb]],
    ["i32", [0xb7]],
    ["i64", [0xba]]
  ]
}
const binary: Readonly<Record<Type, ReadonlyArray<readonly [Type, number]>>> = {
  i32: [
    ...range(0x6a, 0x78).map((code) => ["i32", code] as const),
    ...range(0x46, 0x4f).map((code) => ["i32", code] as const),
    ...range(0x51, 0x5a).map((code) => ["i64", code] as const),
    ...range(0x5b, 0x60).map((code) => ["f32", code] as const),
    ...range(0x61, 0x66).map((code) => ["f64", code] as const)
  ],
  i64: range(0x7c, 0x8a).map((code) => ["i64", code] as const),
  f32: range(0x92, 0x97).map((code) => ["f32", code] as const),
  f64: range(0xa0, 0xa5).map((code) => ["f64", code] as const)
}

const constants: Readonly<Record<Type, fc.Arbitrary<Code>>> = {
  i32: fc.integer({ min: -3, max: 2_000_000_000 }).map(i32Const),
  i64: fc.bigInt({ min: -9n, max: 2n ** 62n }).map(i64Const),
  f32: fc.integer({ min: -9, max: 9 }).map((value) => [0x43, ...new Uint8Array(Float32Array.of(value / 4).buffer)]),
  f64: fc.double().map(f64Const)
}

const loads: Readonly<Record<"i32" | "i64", ReadonlyArray<number>>> = {
  i32: [0x28, 0x2c, 0x2f],
  i64: [0x29, 0x30, 0x35]
}

/** An address within the first kilobyte. */
const masked = (address: Code): Code => [...address, ...i32Const(0x3f8), 0x71]

const expression = (type: Type, depth: number): fc.Arbitrary<Code> => {
  const leaf = fc.oneof(constants[type], fc.constantFrom(...localsOf[type]).map(localGet))
  if (depth === 0) return leaf
  const one = fc.constantFrom(...unary[type]).chain(([from, code]) => expression(from, depth - 1).map((operand) => [...operand, ...code]))
  const two = fc
    .constantFrom(...binary[type])
    .chain(([from, code]) =>
      fc.tuple(expression(from, depth - 1), expression(from, depth - 1)).map(([left, right]) => [...left, ...right, code])
    )
  const branches: Array<fc.Arbitrary<Code>> = [leaf, one, two]
  if (type === "i32" || type === "i64") {
    branches.push(
      fc.tuple(expression("i32", depth - 1), fc.constantFrom(...loads[type])).map(([address, code]) => [...masked(address), code, 0, 0])
    )
  }
  if (type === "i32") {
    branches.push(fc.tuple(expression("i32", depth - 1), expression("i64", depth - 1)).map(([a, b]) => [...a, ...b, ...call(helperIndex)]))
  }
  return fc.oneof(...branches)
}

const anyType = fc.constantFrom<Type>("i32", "i64", "f32", "f64")

const assignment = anyType.chain((type) =>
  fc.tuple(fc.constantFrom(...localsOf[type]), expression(type, 3)).map(([local, value]) => [...value, ...localSet(local)])
)

const store = fc.tuple(expression("i32", 2), expression("i64", 2)).map(([address, value]) => [...masked(address), ...value, ...i64Store(0)])

const bulk = fc
  .tuple(fc.constantFrom([10, 0, 0], [11, 0]), expression("i32", 1))
  .map(([code, value]) => [...i32Const(512), ...(code[0] === 10 ? i32Const(16) : value), ...i32Const(32), 0xfc, ...code])

const statements = (level: number): fc.Arbitrary<Code> =>
  fc.array(statement(level), { minLength: 1, maxLength: 4 }).map((codes) => codes.flat())

const conditional = (level: number): fc.Arbitrary<Code> =>
  fc
    .tuple(expression("i32", 2), statements(level - 1), statements(level - 1))
    .map(([condition, then, otherwise]) => [...condition, 0x04, 0x40, ...then, 0x05, ...otherwise, end])

const loop = (level: number): fc.Arbitrary<Code> =>
  fc.tuple(fc.integer({ min: 1, max: 5 }), statements(level - 1)).map(([times, body]) => {
    const counter = counters[level - 1] ?? 0
    const next = [...localGet(counter), ...i32Const(1), 0x6a, 0x22, counter, ...i32Const(times), 0x48, 0x0d, 0]
    return [...i32Const(0), ...localSet(counter), 0x03, 0x40, ...body, ...next, end]
  })

/** block block block … br_table 0 1 2 end A end B end */
const selection = (level: number): fc.Arbitrary<Code> =>
  fc
    .tuple(expression("i32", 2), statements(level - 1), statements(level - 1))
    .map(([index, first, second]) => [0x02, 0x40, 0x02, 0x40, 0x02, 0x40, ...index, 0x0e, 2, 0, 1, 2, end, ...first, end, ...second, end])

const early = fc
  .tuple(expression("i32", 2), assignment)
  .map(([condition, assigned]) => [0x02, 0x40, ...condition, 0x0d, 0, ...assigned, end])

const statement = (level: number): fc.Arbitrary<Code> => {
  const simple: ReadonlyArray<fc.Arbitrary<Code>> = [assignment, store, bulk, early]
  return level === 0 ? fc.oneof(...simple) : fc.oneof(...simple, conditional(level), loop(level), selection(level))
}

/** Stores every local; NaN floats as 0, because without the meter their bits depend on the engine. */
const storeLocals: Code = (["i32", "i64", "f32", "f64"] as const).flatMap((type) =>
  localsOf[type].flatMap((local): Code => {
    const value = localGet(local)
    const address = i32Const(1_024 + local * 8)
    switch (type) {
      case "i32":
        return [...address, ...value, ...i32Store(0)]
      case "i64":
        return [...address, ...value, ...i64Store(0)]
      case "f32":
        return [...address, ...value, 0x43, 0, 0, 0, 0, ...value, ...value, 0x5b, 0x1b, 0x38, 0, 0]
      case "f64":
        return [...address, ...value, ...f64Const(0), ...value, ...value, 0x61, 0x1b, 0x39, 0, 0]
    }
  })
)

/** A program whose result is its first 1,088 bytes of memory, including all locals. It may trap (division). */
export const generatedProgram: fc.Arbitrary<Uint8Array> = statements(3).map((body) =>
  encodeModule({
    imports: [hostImport.executionResult, hostImport.procExit],
    memory: 1,
    functions: [
      {
        parameters: [i32, i64],
        results: [i32],
        code: [...localGet(0), ...i32Const(3), 0x6c, ...localGet(1), 0xa7, 0x6a]
      },
      { locals: localTypes, code: [...body, ...storeLocals, ...i32Const(0), ...i32Const(1_088), ...call(resultIndex)] }
    ]
  })
)
