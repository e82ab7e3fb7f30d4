/** What each operator costs the engines to compile, in units of about forty bytes of their memory. */
import { operator } from "./operators.ts"

/** A place where control flow splits or merges, with nothing alive: blocks, charges of gas. */
export const placeCost = 200

/** A parameter or result of a call. */
export const passedValueCost = 8

/** An operator that compiles to a few instructions. */
const plain = 2

type Row = readonly [from: number, to: number, units: number]

const rows: ReadonlyArray<Row> = [
  // Loads and stores, with their bounds checks.
  [0x28, 0x3e, 10],
  // Float stores, and below the sign and reinterpretation of floats: the meter adds a choice before them.
  [operator.f32Store, operator.f64Store, 2 * placeCost],
  [operator.memoryGrow, operator.memoryGrow, placeCost / 2],
  [operator.tableGet, operator.tableSet, placeCost],
  // Signed division has three cases. The memory of V8's optimising compiler grows with the square of their number.
  [0x6d, 0x6d, 40 * placeCost],
  [0x7f, 0x7f, 40 * placeCost],
  [0x6e, 0x70, placeCost / 2],
  [0x80, 0x82, placeCost / 2],
  [operator.f32Copysign, operator.f32Copysign, 2 * placeCost],
  [operator.f64Copysign, operator.f64Copysign, 2 * placeCost],
  // From floats to integers, with their traps.
  [0xa8, 0xab, placeCost / 2],
  [0xae, 0xb1, placeCost / 2],
  [operator.i32ReinterpretF32, operator.i64ReinterpretF64, 2 * placeCost]
]

/** The units of one-byte operators by code. Blocks, branches and calls also cost their places. */
export const operatorCost: Uint16Array = ((): Uint16Array => {
  const table = new Uint16Array(256).fill(plain)
  for (const [from, to, units] of rows) table.fill(units, from, to + 1)
  return table
})()

/** The same after the prefix 0xfc, by number: saturating conversions, then the bulk operators. */
export const prefixedOperatorCost: Uint16Array = new Uint16Array(18).fill(placeCost, 0, 8).fill(2 * placeCost, 8)

/** Beside a call's: engines look up and check what is called, and the work of V8's optimising compiler grows with the square of their number. */
export const indirectCallCost = 12 * placeCost

/**
 * How many places a call counts as: everything alive is kept across it. The same holds for operators that engines compile to calls of their own code:
 * bulk operators, `memory.grow`, and those that read or write a table.
 */
export const waysOfCall = 2

/** How many places a block, a loop and an `if` count as, according to the engines' cost. */
export const waysInto: Readonly<Record<number, number>> = { [operator.block]: 1, [operator.loop]: 4, [operator.if]: 2 }
