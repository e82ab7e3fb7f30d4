/** The operators of the binary format: which bytes are supported, and their immediates. */

/** The kinds of immediates. */
export const immediate = {
  none: 0,
  block: 1,
  label: 2,
  labels: 3,
  function: 4,
  typeAndTable: 5,
  local: 6,
  global: 7,
  table: 8,
  memoryAccess: 9,
  memory: 10,
  i32: 11,
  i64: 12,
  f32: 13,
  f64: 14,
  types: 15,
  reference: 16,
  dataAndMemory: 17,
  data: 18,
  memoryPair: 19,
  elementAndTable: 20,
  element: 21,
  tablePair: 22,
  /** None either, but it closes a block. */
  end: 23,
  unknown: 255
} as const

/** The codes that this package names. Two-byte operators (prefix 0xfc) are 0xfc00 + their number. */
export const operator = {
  unreachable: 0x00,
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  else: 0x05,
  end: 0x0b,
  br: 0x0c,
  brIf: 0x0d,
  brTable: 0x0e,
  return: 0x0f,
  call: 0x10,
  callIndirect: 0x11,
  globalGet: 0x23,
  globalSet: 0x24,
  localGet: 0x20,
  localSet: 0x21,
  localTee: 0x22,
  tableGet: 0x25,
  tableSet: 0x26,
  drop: 0x1a,
  select: 0x1b,
  typedSelect: 0x1c,
  f32Store: 0x38,
  f64Store: 0x39,
  memoryGrow: 0x40,
  i32Const: 0x41,
  i64Const: 0x42,
  f32Const: 0x43,
  f64Const: 0x44,
  i32GreaterUnsigned: 0x4b,
  i64LessSigned: 0x53,
  i64GreaterUnsigned: 0x56,
  f32Equal: 0x5b,
  f64Equal: 0x61,
  i64Add: 0x7c,
  i64Sub: 0x7d,
  f32Copysign: 0x98,
  f64Copysign: 0xa6,
  i32ReinterpretF32: 0xbc,
  i64ReinterpretF64: 0xbd,
  refNull: 0xd0,
  refIsNull: 0xd1,
  refFunc: 0xd2,
  prefix: 0xfc,
  memoryInit: 0xfc08,
  dataDrop: 0xfc09,
  memoryCopy: 0xfc0a,
  memoryFill: 0xfc0b,
  tableInit: 0xfc0c,
  elementDrop: 0xfc0d,
  tableCopy: 0xfc0e,
  tableGrow: 0xfc0f,
  tableFill: 0xfc11
} as const

const fill = (table: Uint8Array, from: number, to: number, kind: number): void => {
  table.fill(kind, from, to + 1)
}

/** The immediates of each one-byte operator; `unknown` for unsupported codes. */
export const immediates: Uint8Array = ((): Uint8Array => {
  const table = new Uint8Array(256).fill(immediate.unknown)
  fill(table, 0x00, 0x01, immediate.none)
  fill(table, 0x02, 0x04, immediate.block)
  table[0x05] = immediate.none
  table[0x0b] = immediate.end
  fill(table, 0x0c, 0x0d, immediate.label)
  table[0x0e] = immediate.labels
  table[0x0f] = immediate.none
  table[0x10] = immediate.function
  table[0x11] = immediate.typeAndTable
  fill(table, 0x1a, 0x1b, immediate.none)
  table[0x1c] = immediate.types
  fill(table, 0x20, 0x22, immediate.local)
  fill(table, 0x23, 0x24, immediate.global)
  fill(table, 0x25, 0x26, immediate.table)
  fill(table, 0x28, 0x3e, immediate.memoryAccess)
  fill(table, 0x3f, 0x40, immediate.memory)
  table[0x41] = immediate.i32
  table[0x42] = immediate.i64
  table[0x43] = immediate.f32
  table[0x44] = immediate.f64
  fill(table, 0x45, 0xc4, immediate.none)
  table[0xd0] = immediate.reference
  table[0xd1] = immediate.none
  table[0xd2] = immediate.function
  return table
})()

/** The immediates of each operator after the prefix 0xfc, by number. */
export const prefixedImmediates: Uint8Array = ((): Uint8Array => {
  const table = new Uint8Array(18).fill(immediate.none)
  table[8] = immediate.dataAndMemory
  table[9] = immediate.data
  table[10] = immediate.memoryPair
  table[11] = immediate.memory
  table[12] = immediate.elementAndTable
  table[13] = immediate.element
  table[14] = immediate.tablePair
  fill(table, 15, 17, immediate.table)
  return table
})()

/** Of each load and store, by code minus 0x28. */
const widestAlignments: Uint8Array = Uint8Array.from([2, 3, 2, 3, 0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 2, 3, 2, 3, 0, 1, 0, 1, 2])

/** The maximum alignment, as a power of two, of a load or store: that of its width. */
export const widestAlignmentOf = (code: number): number => widestAlignments[code - 0x28] ?? 0
