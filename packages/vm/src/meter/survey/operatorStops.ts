/** At which operators the fast build has something to do: the second walk through a module goes from one to the next. */
import { operator } from "../../binary/operators.ts"
import { role, roleOf } from "./operatorRoles.ts"
import { oneByteUnits } from "./prices.ts"

/** Where the second walk stops: at every operator of the code, at none, or where it names the local that moves. */
export const stopKind = { none: 0, always: 1, whereDisplaced: 2 } as const

/** Operators at the plain price that are written anew, open a block, or end the reach of code. */
const special: ReadonlySet<number> = new Set([operator.unreachable, operator.block, operator.refFunc, operator.tableSet, operator.prefix])

const isPlain = (code: number): boolean =>
  !special.has(code) &&
  roleOf(code) === role.none &&
  oneByteUnits.exec[code] === oneByteUnits.exec[operator.drop] &&
  oneByteUnits.tally[code] === oneByteUnits.tally[operator.drop]

const kinds: Uint8Array = ((): Uint8Array => {
  const table = Uint8Array.from({ length: 256 }, (_, code) => (isPlain(code) ? stopKind.none : stopKind.always))
  for (const code of [operator.localGet, operator.localSet, operator.localTee]) table[code] = stopKind.whereDisplaced
  return table
})()

/** The kind of an operator; those of two bytes are few, and stops all. */
export const stopKindOf = (code: number): number => kinds[code] ?? stopKind.always

/** Two numbers for each stop: the operator's first byte, and how many operators at the plain price stand before it. */
export class OperatorStops {
  #numbers: Uint32Array
  #length = 0
  #passed = 0

  /** Allocates room for the usual number of stops in a module of this size; it grows if needed. */
  constructor(moduleBytes: number) {
    this.#numbers = new Uint32Array(2 * (32 + (moduleBytes >> 3)))
  }

  /** Counts an operator at the plain price that is no stop. */
  pass(): void {
    this.#passed += 1
  }

  /** Adds a stop. */
  add(from: number): void {
    if (this.#length === this.#numbers.length) this.#grow()
    this.#numbers[this.#length] = from
    this.#numbers[this.#length + 1] = this.#passed
    this.#length += 2
    this.#passed = 0
  }

  #grow(): void {
    const larger = new Uint32Array(this.#length * 2)
    larger.set(this.#numbers)
    this.#numbers = larger
  }

  /** Reads them from the first on. */
  read(): StopReader {
    return new StopReader(this.#numbers)
  }
}

/** A cursor over the stops. */
export class StopReader {
  /** The operator's first byte. */
  from = 0
  /** How many operators at the plain price stand between it and the stop before it. */
  passed = 0
  readonly #numbers: Uint32Array
  #at = 0

  constructor(numbers: Uint32Array) {
    this.#numbers = numbers
  }

  /** Goes on to the next stop. */
  next(): void {
    this.from = this.#numbers[this.#at] ?? 0
    this.passed = this.#numbers[this.#at + 1] ?? 0
    this.#at += 2
  }
}
