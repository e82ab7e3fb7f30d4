/** A tiny assembler: modules for tests, from operators as bytes. */

/** Value types. */
export const i32 = 0x7f
export const i64 = 0x7e
export const f32 = 0x7d
export const f64 = 0x7c

/** A function type. */
export interface Signature {
  readonly parameters: ReadonlyArray<number>
  readonly results: ReadonlyArray<number>
}

/** A function with a body; `code` without its final `end`. */
export interface FunctionSource extends Partial<Signature> {
  readonly locals?: ReadonlyArray<number>
  /** Locals behind those, in runs of one type. */
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
  /** Table of functions: its entries are also its size. */
  readonly table?: ReadonlyArray<number>
  /** More signatures, whose indices follow those of imports and functions. */
  readonly types?: ReadonlyArray<Signature>
  readonly data?: ReadonlyArray<{ readonly offset: number; readonly bytes: ReadonlyArray<number> }>
  /** Sections to be put in as they are, each before the first section with a larger id (data count counts as 9.5). */
  readonly extra?: ReadonlyArray<{ readonly id: number; readonly content: ReadonlyArray<number> }>
}

/** An unsigned integer in LEB128. */
export const u32 = (value: number): ReadonlyArray<number> =>
  value < 0x80 ? [value] : [(value % 0x80) | 0x80, ...u32(Math.floor(value / 0x80))]

/** A signed integer in LEB128. */
export const signed = (value: bigint): ReadonlyArray<number> => {
  const byte = Number(value & 0x7fn)
  const rest = value >> 7n
  return (rest === 0n && byte < 0x40) || (rest === -1n && byte >= 0x40) ? [byte] : [byte | 0x80, ...signed(rest)]
}

const vector = (items: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<number> => [
  ...u32(items.length),
  ...items.flat()
]
const name = (text: string): ReadonlyArray<number> => vector([...new TextEncoder().encode(text)].map((byte) => [byte]))
const list = (bytes: ReadonlyArray<number>): ReadonlyArray<number> => [...u32(bytes.length), ...bytes]

/** `i32.const`; takes unsigned values too. */
export const i32Const = (value: number): ReadonlyArray<number> => [0x41, ...signed(BigInt(value | 0))]

/** `i64.const`. */
export const i64Const = (value: bigint): ReadonlyArray<number> => [0x42, ...signed(BigInt.asIntN(64, value))]

/** `f32.const` by its bits. */
export const f32Bits = (bits: number): ReadonlyArray<number> => [0x43, ...new Uint8Array(Uint32Array.of(bits).buffer)]

/** `f64.const` by its bits. */
export const f64Bits = (bits: bigint): ReadonlyArray<number> => [
  0x44,
  ...new Uint8Array(BigUint64Array.of(bits).buffer)
]

/** `f64.const`. */
export const f64Const = (value: number): ReadonlyArray<number> => [
  0x44,
  ...new Uint8Array(Float64Array.of(value).buffer)
]

/** `call`. */
export const call = (index: number): ReadonlyArray<number> => [0x10, ...u32(index)]

/** Local access. */
export const localGet = (index: number): ReadonlyArray<number> => [0x20, ...u32(index)]
export const localSet = (index: number): ReadonlyArray<number> => [0x21, ...u32(index)]

/** Often needed operators without immediates. */
export const drop = 0x1a
export const end = 0x0b
export const i32Add = 0x6a

/** `i32.store` and `i64.store` at an offset. */
export const i32Store = (offset: number): ReadonlyArray<number> => [0x36, 0, ...u32(offset)]
export const i64Store = (offset: number): ReadonlyArray<number> => [0x37, 0, ...u32(offset)]

const signatureOf = ({ parameters = [], results = [] }: Partial<Signature>): ReadonlyArray<number> => [
  0x60,
  ...list(parameters),
  ...list(results)
]

const bodyOf = ({ code, localRuns = [], locals = [] }: FunctionSource): ReadonlyArray<number> =>
  list([
    ...vector([...locals.map((type) => [1, type]), ...localRuns.map(([count, type]) => [...u32(count), type])]),
    ...code,
    end
  ])

const order = (id: number): number => (id === 12 ? 9.5 : id)

/** The module's bytes. */
export const assemble = (source: ModuleSource): Uint8Array => {
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
  return Uint8Array.from([
    0,
    0x61,
    0x73,
    0x6d,
    1,
    0,
    0,
    0,
    ...ordered.flatMap(({ content, id }) => [id, ...list(content)])
  ])
}

const wasi = "wasi_snapshot_preview1"

/** The host functions with their types, to be imported by name. */
export const hostImport = {
  executionResult: { module: "seda_v1", name: "execution_result", parameters: [i32, i32] },
  callResultWrite: { module: "seda_v1", name: "call_result_write", parameters: [i32, i32] },
  httpFetch: { module: "seda_v1", name: "http_fetch", parameters: [i32, i32], results: [i32] },
  proxyHttpFetch: { module: "seda_v1", name: "proxy_http_fetch", parameters: [i32, i32], results: [i32] },
  keccak256: { module: "seda_v1", name: "keccak256", parameters: [i32, i32], results: [i32] },
  secp256k1Verify: {
    module: "seda_v1",
    name: "secp256k1_verify",
    parameters: [i32, i64, i32, i32, i32, i32],
    results: [i32]
  },
  storageRead: { module: "seda_v1", name: "storage_read", parameters: [i32, i32], results: [i32] },
  storageWrite: { module: "seda_v1", name: "storage_write", parameters: [i32, i32], results: [i32] },
  storageDelete: { module: "seda_v1", name: "storage_delete", parameters: [i32, i32], results: [i32] },
  argsSizesGet: { module: wasi, name: "args_sizes_get", parameters: [i32, i32], results: [i32] },
  argsGet: { module: wasi, name: "args_get", parameters: [i32, i32], results: [i32] },
  environSizesGet: { module: wasi, name: "environ_sizes_get", parameters: [i32, i32], results: [i32] },
  environGet: { module: wasi, name: "environ_get", parameters: [i32, i32], results: [i32] },
  fdWrite: { module: wasi, name: "fd_write", parameters: [i32, i32, i32, i32], results: [i32] },
  procExit: { module: wasi, name: "proc_exit", parameters: [i32] },
  randomGet: { module: wasi, name: "random_get", parameters: [i32, i32], results: [i32] },
  clockTimeGet: { module: wasi, name: "clock_time_get", parameters: [i32, i64, i32], results: [i32] }
} as const
