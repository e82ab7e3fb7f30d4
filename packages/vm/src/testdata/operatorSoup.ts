/** A generator of function bodies with random operators: nearly typed, reachable or not. */
import { encodeModule, end, f32, f64, hostImport, i32, i64, type Signature, u32 } from "@sibyl/testing/wasm"
import fc from "fast-check"

type Code = ReadonlyArray<number>

const funcref = 0x70
const externref = 0x6f

/** Their type indices follow those of one import and two functions. */
const types: ReadonlyArray<Signature> = [
  { parameters: [], results: [i32, i64] },
  { parameters: [i32], results: [i32] },
  { parameters: [i32, i64], results: [] }
]

const valueTypes = [i32, i64, f32, f64, funcref, externref]
const blockTypes: ReadonlyArray<Code> = [[0x40], [i32], [i64], [f64], [funcref], [3], [4], [5]]
const index = (size: number): fc.Arbitrary<number> => fc.nat({ max: size - 1 })

const withIndex = (codes: ReadonlyArray<number>, size: number): fc.Arbitrary<Code> =>
  fc.tuple(fc.constantFrom(...codes), index(size)).map(([code, at]) => [code, ...u32(at)])

const constants: ReadonlyArray<Code> = [
  [0x41, 1],
  [0x42, 1],
  [0x43, 0, 0, 0, 0],
  [0x44, 0, 0, 0, 0, 0, 0, 0, 0],
  [0xd0, funcref],
  [0xd0, externref],
  [0xd2, 2]
]

const range: fc.Arbitrary<Code> = fc.constantFrom<Code>(
  [0xfc, 8, 0, 0],
  [0xfc, 9, 0],
  [0xfc, 10, 0, 0],
  [0xfc, 11, 0],
  [0xfc, 12, 0, 0],
  [0xfc, 12, 0, 1],
  [0xfc, 13, 0],
  [0xfc, 14, 0, 0],
  [0xfc, 14, 0, 1],
  [0xfc, 15, 0],
  [0xfc, 15, 1],
  [0xfc, 16, 1],
  [0xfc, 17, 0],
  [0xfc, 17, 1]
)

const simple: fc.Arbitrary<Code> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...constants) },
  { weight: 2, arbitrary: fc.integer({ min: 0x45, max: 0xc4 }).map((code) => [code]) },
  fc.nat({ max: 7 }).map((number) => [0xfc, number]),
  fc.constantFrom<Code>([0x1a], [0x1b], [0x01], [0x3f, 0], [0x40, 0], [0xd1]),
  fc.constantFrom(...valueTypes).map((type) => [0x1c, 1, type]),
  withIndex([0x20, 0x21, 0x22], 6),
  withIndex([0x23, 0x24], 2),
  withIndex([0x25, 0x26], 2),
  fc.tuple(fc.integer({ min: 0x28, max: 0x3e }), index(4)).map(([code, alignment]) => [code, alignment, 0]),
  range
)

const leaving: fc.Arbitrary<Code> = fc.oneof(
  fc.constantFrom<Code>([0x00], [0x0f]),
  withIndex([0x0c, 0x0d], 3),
  fc.tuple(index(3), index(3)).map(([first, other]) => [0x0e, 1, first, other])
)

const called: fc.Arbitrary<Code> = fc.oneof(
  withIndex([0x10], 3),
  fc.tuple(index(6), index(2)).map(([type, table]) => [0x11, type, table])
)

const sequence = (level: number): fc.Arbitrary<Code> => {
  const block = fc
    .tuple(fc.constantFrom(0x02, 0x03, 0x04), fc.constantFrom(...blockTypes), fc.boolean())
    .chain(([code, type, otherwise]) =>
      fc
        .tuple(sequence(level - 1), sequence(level - 1))
        .map(([first, second]) => [code, ...type, ...first, ...(otherwise ? [0x05, ...second] : []), end])
    )
  const item = fc.oneof(
    { weight: 8, arbitrary: simple },
    { weight: 3, arbitrary: leaving },
    called,
    ...(level === 0 ? [] : [{ weight: 3, arbitrary: block }])
  )
  return fc.array(item, { maxLength: 5 }).map((codes) => codes.flat())
}

/** A module with tables of both kinds, a data and an element segment, and a random body. */
export const operatorSoup: fc.Arbitrary<Uint8Array> = fc
  .tuple(sequence(2), fc.boolean(), fc.constantFrom(...[[], [i32], [i32, i64]]))
  .map(([body, dead, results]) =>
    encodeModule({
      imports: [hostImport.procExit],
      memory: 1,
      types,
      globals: [
        { type: i32, mutable: true, initial: [0x41, 0] },
        { type: i64, mutable: false, initial: [0x42, 0] }
      ],
      functions: [
        { parameters: [i32], locals: [i64, f32, f64, funcref, externref], results, code: dead ? [0, ...body] : body },
        { code: [] }
      ],
      extra: [
        { id: 4, content: [2, funcref, 0, 1, externref, 0, 1] },
        { id: 9, content: [1, 1, 0, 1, 1] },
        { id: 12, content: [1] },
        { id: 11, content: [1, 1, 1, 0] }
      ]
    })
  )
