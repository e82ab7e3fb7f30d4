/** The gas price of each operator in each phase, as in the reference VMs of the public network (docs/PROGRAMS.md). */
import type { Phase } from "@sibyl/core"
import { operator } from "../../binary/operators.ts"

/** Gas per operator. Everything not listed here costs `plain`. */
export interface OperatorPrices {
  readonly plain: number
  /** Operators that end a block of straight-line code; the charge for that block is before them. */
  readonly accounting: number
  readonly memoryGrow: number
  readonly memoryCopy: number
  readonly memoryFill: number
  /** For each byte beyond the first of the table index of `call_indirect`, added to the next block. */
  readonly longTableIndexByte: number
}

const tallyPlain = 125 * 150
const execPlain = tallyPlain / 10

/**
 * Tally: 125 · 150 plain, · 3,000 accounting, growing memory 1,000,000 for any size. Execution: a tenth of both, and the peculiarities of
 * its reference, which counts some immediates as operators.
 */
export const operatorPrices: Readonly<Record<Phase, OperatorPrices>> = {
  tally: {
    plain: tallyPlain,
    accounting: tallyPlain * 3_000,
    memoryGrow: 1_000_000,
    memoryCopy: tallyPlain,
    memoryFill: tallyPlain,
    longTableIndexByte: 0
  },
  exec: {
    plain: execPlain,
    accounting: execPlain * 3_000,
    memoryGrow: execPlain,
    memoryCopy: 3 * execPlain,
    memoryFill: 2 * execPlain,
    longTableIndexByte: execPlain
  }
}

/** Whether the charge for the preceding code is before this operator. */
export const isAccounting = (code: number): boolean =>
  (code >= operator.loop && code <= operator.else) || (code >= operator.end && code <= operator.callIndirect)

/** The gas that an operator adds to the block it belongs to. */
export const priceOf = (code: number, prices: OperatorPrices): number => {
  if (isAccounting(code)) return prices.accounting
  switch (code) {
    case operator.memoryGrow:
      return prices.memoryGrow
    case operator.memoryCopy:
      return prices.memoryCopy
    case operator.memoryFill:
      return prices.memoryFill
    default:
      return prices.plain
  }
}

/** The prices of all one-byte operators, by code. */
const tableOf = (prices: OperatorPrices): Float64Array => Float64Array.from({ length: 256 }, (_, code) => priceOf(code, prices))

/** {@link priceOf} of the one-byte operators in each phase, as a table, because every operator of a module is looked up. */
export const oneBytePrices: Readonly<Record<Phase, Float64Array>> = {
  exec: tableOf(operatorPrices.exec),
  tally: tableOf(operatorPrices.tally)
}

/** The unit in which the fast build counts gas: every price of the phase is a multiple of it, and small constants make small code. */
export const gasPerUnit: Readonly<Record<Phase, number>> = { exec: execPlain, tally: tallyPlain / 3 }

/** The price of an operator in units of {@link gasPerUnit}. */
export const unitsOf = (code: number, phase: Phase): number => priceOf(code, operatorPrices[phase]) / gasPerUnit[phase]

/** {@link unitsOf} of the one-byte operators in each phase. */
export const oneByteUnits: Readonly<Record<Phase, Uint16Array>> = {
  exec: Uint16Array.from(oneBytePrices.exec, (price) => price / gasPerUnit.exec),
  tally: Uint16Array.from(oneBytePrices.tally, (price) => price / gasPerUnit.tally)
}
