/** One WebAssembly module as bytes, from its parts. */
import { end, i32Const, u32 } from "./instructions.ts"

/** A function type. */
export interface Signature {
  readonly parameters: ReadonlyArray<number>
  readonly results: ReadonlyArray<number>
}

/** A function with a body; `code` without its final `end`. */
export interface FunctionSource extends Partial<Signature> {
  readonly locals?: ReadonlyArray<number>
  /** Further locals, in runs of one type. */
  readonly localRuns?: ReadonlyArray<readonly [count: number, type: number]>
  readonly code: ReadonlyArray<number>
}

/** A module. Function 0 is the first import; the last function is exported as `_start`, memory 0 as `memory`. */
export interface ModuleSource {
  readonly imports?: ReadonlyArray<Partial<Signature> & { readonly module: string; readonly name: string }>
  readonly functions: ReadonlyArray<FunctionSource>
  /** Pages, or none. */
  readonly memory?: number | undefined
  readonly globals?: ReadonlyArray<{
    readonly type: number
    readonly mutable: boolean
    readonly initial: ReadonlyArray<number>
  }>
  /** A table of functions, whose size is the number of its entries. */
  readonly table?: ReadonlyArray<number>
  /** Further signatures, whose indices follow those of imports and functions. */
  readonly types?: ReadonlyArray<Signature>
  readonly data?: ReadonlyArray<{ readonly offset: number; readonly bytes: ReadonlyArray<number> }>
  /** Sections to insert unchanged, each before the first section with a larger id (data count counts as 9.5). */
  readonly extra?: ReadonlyArray<{ readonly id: number; readonly content: ReadonlyArray<number> }>
}

const vector = (items: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<number> => [...u32(items.length), ...items.flat()]
const name = (text: string): ReadonlyArray<number> => vector([...new TextEncoder().encode(text)].map((byte) => [byte]))
const list = (bytes: ReadonlyArray<number>): ReadonlyArray<number> => [...u32(bytes.length), ...bytes]

const signatureOf = ({ parameters = [], results = [] }: Partial<Signature>): ReadonlyArray<number> => [
  0x60,
  ...list(parameters),
  ...list(results)
]

const bodyOf = ({ code, localRuns = [], locals = [] }: FunctionSource): ReadonlyArray<number> =>
  list([...vector([...locals.map((type) => [1, type]), ...localRuns.map(([count, type]) => [...u32(count), type])]), ...code, end])

const order = (id: number): number => (id === 12 ? 9.5 : id)

/** The module's bytes. Nothing is checked: an invalid module is encoded as given. */
export const encodeModule = (source: ModuleSource): Uint8Array => {
  const { data = [], extra = [], functions, globals = [], imports = [], memory, table, types = [] } = source
  const sections: Array<{ readonly id: number; readonly content: ReadonlyArray<number> }> = [...extra]
  const add = (id: number, items: ReadonlyArray<ReadonlyArray<number>>): void => {
    if (items.length > 0) sections.push({ id, content: vector(items) })
  }
  add(1, [...imports, ...functions, ...types].map(signatureOf))
  add(
    2,
    imports.map((entry, at) => [...name(entry.module), ...name(entry.name), 0, ...u32(at)])
  )
  add(
    3,
    functions.map((_, at) => u32(imports.length + at))
  )
  add(4, table === undefined ? [] : [[0x70, 0, ...u32(table.length)]])
  add(5, memory === undefined ? [] : [[0, ...u32(memory)]])
  add(
    6,
    globals.map(({ initial, mutable, type }) => [type, mutable ? 1 : 0, ...initial, end])
  )
  add(7, [
    ...(memory === undefined ? [] : [[...name("memory"), 2, 0]]),
    ...(functions.length === 0 ? [] : [[...name("_start"), 0, ...u32(imports.length + functions.length - 1)]])
  ])
  add(9, table === undefined ? [] : [[0, ...i32Const(0), end, ...vector(table.map((index) => u32(index)))]])
  add(10, functions.map(bodyOf))
  add(
    11,
    data.map(({ bytes, offset }) => [0, ...i32Const(offset), end, ...list(bytes)])
  )
  const ordered = sections.toSorted((left, right) => order(left.id) - order(right.id))
  return Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...ordered.flatMap(({ content, id }) => [id, ...list(content)])])
}
