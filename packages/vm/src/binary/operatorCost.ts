/** What each operator costs the engines to compile, in units of about forty bytes of their memory. */
import { operator } from "./operators.ts"

/** A place where the code goes on in several ways, with nothing alive: blocks, a charge of gas, what joins them. */
export const placeCost = 200

/** A parameter or result of a call. */
export const passedValueCost = 8

/** An operator that is a handful of instructions. */
const plain = 2

type Row = readonly [from: number, to: number, units: number]

const rows: ReadonlyArray<Row> = [
  // With their bounds.
  [0x28, 0x3e, 10],
  // Float stores, and below the signs and bits of floats: the meter puts a choice before them.
  [operator.f32Store, operator.f64Store, 2 * placeCost],
  [operator.memoryGrow, operator.memoryGrow, placeCost / 2],
  [operator.tableGet, operator.tableSet, placeCost],
  // Signed division has three cases. V8's optimising compiler takes memory by the square of their number.
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

/** The units of one-byte operators by their code. Blocks, branches and calls cost their places besides. */
export const operatorCost: Uint16Array = ((): Uint16Array => {
  const table = new Uint16Array(256).fill(plain)
  for (const [from, to, units] of rows) table.fill(units, from, to + 1)
  return table
})()

/** The same behind the prefix 0xfc, by their number: conversions that saturate, then the work on ranges. */
export const prefixedOperatorCost: Uint16Array = new Uint16Array(18).fill(placeCost, 0, 8).fill(4 * placeCost, 8)

/** Into how many ways a block, a loop and an `if` part the code, as the engines pay for it. */
export const waysInto: Readonly<Record<number, number>> = { [operator.block]: 1, [operator.loop]: 4, [operator.if]: 2 }
