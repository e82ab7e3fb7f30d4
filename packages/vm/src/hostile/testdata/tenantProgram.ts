/**
 * One program of two tenants. Told to plant (its first argument begins with `P`), it leaves its mark wherever a program can leave something;
 * otherwise it looks for the mark everywhere, and for anything that is not as it was at first.
 */
import {
  call,
  drop,
  encodeModule,
  end,
  hostImport,
  i32,
  i32Add,
  i32Const,
  i64,
  i64Const,
  localGet,
  localSet,
  u32
} from "@sibyl/testing/wasm"

type Code = ReadonlyArray<number>

/** The byte that the mark consists of: it stands in no argument, environment or data of the one that looks. */
export const markByte = 0xc5

const marked = (markByte * 0x0101_0101) | 0

const [argsSizesGet, argsGet, environSizesGet, environGet, executionResult, fdWrite] = [0, 1, 2, 3, 4, 5]
const imports = [
  hostImport.argsSizesGet,
  hostImport.argsGet,
  hostImport.environSizesGet,
  hostImport.environGet,
  hostImport.executionResult,
  hostImport.fdWrite,
  hostImport.procExit
]

/** Where things are: pointers to arguments, their text, pointers to the environment, its text, the found counts. */
const at = { args: 64, argsText: 1_024, environ: 4_096, environText: 8_192, found: 32_768, written: 40_000, free: 65_536 }
const pages = 3
/** Memory grows by so many pages for either. */
const morePages = 4

const [place, count, word] = [0, 1, 2]
const [plainGlobal, wideGlobal] = [0, 1]

const store = (address: number, value: Code): Code => [...i32Const(address), ...value, 0x36, 2, 0]
const growMemory: Code = [...i32Const(morePages), 0x40, 0, drop]
/** The size of memory in bytes. */
const memoryBytes: Code = [0x3f, 0, ...i32Const(16), 0x74]
const ask = (index: number, ...values: ReadonlyArray<number>): Code => [...values.flatMap(i32Const), ...call(index), drop]

const plant: Code = [
  ...growMemory,
  // All that is free, to the end of memory.
  ...[...i32Const(at.free), ...i32Const(markByte), ...memoryBytes, ...i32Const(at.free), 0x6b, 0xfc, 0x0b, 0],
  ...[...i32Const(marked), 0x24, plainGlobal, ...i64Const(BigInt(marked)), 0x24, wideGlobal],
  // A place of the table that was empty; segments that were there.
  ...[...i32Const(1), 0xd2, ...u32(imports.length), 0x26, 0],
  ...[0xfc, 9, 1, 0xfc, 13, 1],
  // What it was told, as its output.
  ...store(at.written, i32Const(at.argsText)),
  ...store(at.written + 4, i32Const(64)),
  ...ask(fdWrite, 1, at.written, 1, at.written + 8),
  ...ask(fdWrite, 2, at.written, 1, at.written + 8),
  ...[...i32Const(at.free), ...i32Const(1_024), ...call(executionResult)]
]

/** Counts the words of memory that are not 0 behind what this program itself uses. */
const countWords: Code = [
  ...[...i32Const(at.free), ...localSet(place)],
  ...[0x03, 0x40],
  ...[...localGet(place), 0x28, 2, 0, ...localSet(word)],
  ...[...localGet(word), 0x04, 0x40, ...localGet(count), ...i32Const(1), i32Add, ...localSet(count), end],
  ...[...localGet(place), ...i32Const(4), i32Add, 0x22, place, ...memoryBytes, 0x49, 0x0d, 0, end]
]

const look: Code = [
  ...store(at.found, memoryBytes),
  ...growMemory,
  ...countWords,
  ...store(at.found + 4, localGet(count)),
  ...store(at.found + 8, [0x23, plainGlobal]),
  ...[...i32Const(at.found + 12), 0x23, wideGlobal, 0x37, 3, 0],
  // Whether the place of the table is empty.
  ...store(at.found + 20, [...i32Const(1), 0x25, 0, 0xd1]),
  // A segment that was dropped would trap here.
  ...[...i32Const(at.found + 24), ...i32Const(0), ...i32Const(4), 0xfc, 8, 1, 0],
  // What it was told: the result ends behind the environment's text.
  ...ask(environSizesGet, at.found + 28, at.found + 32),
  ...ask(environGet, at.environ, at.environText),
  ...[...i32Const(at.argsText), ...i32Const(at.found + 64 - at.argsText), ...call(executionResult)]
]

/** The tenants' program. */
export const tenantProgram: Uint8Array = encodeModule({
  imports,
  memory: pages,
  globals: [
    { type: i32, mutable: true, initial: i32Const(0) },
    { type: i64, mutable: true, initial: i64Const(0n) }
  ],
  extra: [
    { id: 4, content: [1, 0x70, 0, 2] },
    // An active segment of functions, and a passive one.
    { id: 9, content: [2, 0, ...i32Const(0), end, 1, ...u32(imports.length), 1, 0, 1, ...u32(imports.length)] },
    { id: 12, content: [2] },
    // An active segment of data, and a passive one.
    { id: 11, content: [2, 0, ...i32Const(0), end, 1, 7, 1, 4, 1, 2, 3, 4] }
  ],
  functions: [
    { code: [] },
    {
      locals: [i32, i32, i32],
      code: [
        ...ask(argsSizesGet, 16, 20),
        ...ask(argsGet, at.args, at.argsText),
        // The pointer to the first argument after the program's name.
        ...[...i32Const(at.args + 4), 0x28, 2, 0, 0x2d, 0, 0, ...i32Const(0x50), 0x46],
        ...[0x04, 0x40, ...plant, 0x05, ...look, end]
      ]
    }
  ]
})
