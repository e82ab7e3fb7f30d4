/**
 * Checks before a host function whether the engine's stack has room for it: by a WebAssembly function with a large frame, for which an engine looks
 * whether it fits before it makes it. It fills nothing, so that it takes hundredths of a microsecond; as many arguments of a function take several.
 */

/** Several times what any called library needs, even when it runs for the first time and is being compiled. */
const roomBytes = 65_536

/** Values of 8 bytes in one frame. Engines compile a function in more than linear time of them, so there are several frames. */
const valuesOfFrame = 512
const bytesOfFrame = 8 * valuesOfFrame
const frames = roomBytes / bytesOfFrame

/** An unsigned integer in LEB128. */
const u32 = (value: number): ReadonlyArray<number> => (value < 0x80 ? [value] : [(value % 0x80) | 0x80, ...u32(Math.floor(value / 0x80))])

const vector = (items: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<number> => [...u32(items.length), ...items.flat()]
const sized = (bytes: ReadonlyArray<number>): ReadonlyArray<number> => [...u32(bytes.length), ...bytes]
const exported = (name: string, kind: number): ReadonlyArray<number> => [...sized([...new TextEncoder().encode(name)]), kind, 0]

const parameter = [0x20, 0]
const constant = (value: number): ReadonlyArray<number> => [0x41, value]
const [ifThen, end] = [[0x04, 0x40], [0x0b]]
const [lessThan, greaterThan, subtract, xor] = [[0x48], [0x4a], [0x6b], [0x85]]
const load = (offset: number): ReadonlyArray<number> => [0x29, 3, ...u32(offset)]
const [store, callOfTable, callOfItself] = [
  [0x37, 3, 0],
  [0x11, 1, 0],
  [0x10, 0]
]

/**
 * Calls itself as many times as its parameter says. With a negative one, which it never gets, it would load values, call what it does not know and
 * then use them all, so that its frame has a place for each. Memory and table are exported: an engine must not know what is in them.
 */
const module = (): Uint8Array<ArrayBuffer> => {
  const values = Array.from({ length: valuesOfFrame }, (_, at) => [...constant(0), ...load(8 * at)]).flat()
  const used = Array.from({ length: valuesOfFrame - 1 }, () => xor).flat()
  const keepAll = [...constant(0), ...values, ...constant(0), ...callOfTable, ...used, ...store]
  const goOn = [...parameter, ...constant(1), ...subtract, ...callOfItself]
  const ifNegative = [...parameter, ...constant(0), ...lessThan, ...ifThen, ...keepAll, ...end]
  const ifPositive = [...parameter, ...constant(0), ...greaterThan, ...ifThen, ...goOn, ...end]
  const code = [...ifNegative, ...ifPositive, ...end]
  const sections: ReadonlyArray<readonly [id: number, content: ReadonlyArray<number>]> = [
    [
      1,
      vector([
        [0x60, 1, 0x7f, 0],
        [0x60, 0, 0]
      ])
    ],
    [3, vector([[0]])],
    [4, vector([[0x70, 0, 1]])],
    [5, vector([[0, 1]])],
    [7, vector([exported("require", 0), exported("table", 1), exported("memory", 2)])],
    [10, vector([sized([0, ...code])])]
  ]
  const header = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
  return Uint8Array.from([...header, ...sections.flatMap(([id, content]) => [id, ...sized(content)])])
}

interface Exports {
  readonly require: (more: number) => void
}

const exports = new WebAssembly.Instance(new WebAssembly.Module(module())).exports as unknown as Exports

/**
 * Overflows the stack now where it could overflow later. Libraries catch exceptions inside them and return a value, so an overflow within
 * one would not end the program but give it a wrong result.
 */
export const requireStackRoom = (): void => exports.require(frames)
