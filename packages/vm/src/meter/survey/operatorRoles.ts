/** What the meter does at each operator, as a table: every operator of a module is looked up. */
import { operator } from "../../binary/operators.ts"
import { isAccounting } from "./prices.ts"

/** The meter's work before an operator. */
export const role = { none: 0, charge: 1, canonicaliseF32: 2, canonicaliseF64: 3, leaveBriefly: 4 } as const

const oneByteRoles: Uint8Array = ((): Uint8Array => {
  const roles = Uint8Array.from({ length: 256 }, (_, code) => (isAccounting(code) ? role.charge : role.none))
  // The float operand on top of the stack, whose bits these operators would show.
  for (const code of [operator.f32Store, operator.f32Copysign, operator.i32ReinterpretF32]) {
    roles[code] = role.canonicaliseF32
  }
  for (const code of [operator.f64Store, operator.f64Copysign, operator.i64ReinterpretF64]) {
    roles[code] = role.canonicaliseF64
  }
  return roles
})()

/** Operators whose time does not show in their gas: before each, the thread can be terminated on every engine. */
const bulk: ReadonlySet<number> = new Set([
  operator.memoryInit,
  operator.memoryCopy,
  operator.memoryFill,
  operator.tableInit,
  operator.tableCopy,
  operator.tableGrow,
  operator.tableFill
])

/** The role of an operator by its code. */
export const roleOf = (code: number): number =>
  code < 256 ? (oneByteRoles[code] ?? role.none) : bulk.has(code) ? role.leaveBriefly : role.none

/** Operators that change tables or drop segments. */
const lasting: ReadonlySet<number> = new Set([
  operator.tableSet,
  operator.tableInit,
  operator.tableCopy,
  operator.tableGrow,
  operator.tableFill,
  operator.dataDrop,
  operator.elementDrop
])

/** Whether an operator changes something of an instance that cannot be reset. */
export const isLasting = (code: number): boolean => (code > 0xff || code === operator.tableSet) && lasting.has(code)
