/** The operators with which the fast build counts gas: a local, in units. */
import { operator } from "../binary/operators.ts"
import type { ByteWriter } from "./byteWriter.ts"
import type { FastLocals } from "./fastLocals.ts"

/** A bulk operator on this many bytes of memory, or entries of a table, takes the time of a few plain operators. */
const few = { bytes: 1_024, entries: 64 } as const

/**
 * `i64.const 2^61`. No function ever has so much gas: a slice is below 2^28 units, and what the functions of a full stack gave back before they
 * owe it is below 2^57 (1.4 million frames, bodies of at most 7.7 million operators at 9,000 units).
 */
const moreThanEver = [operator.i64Const, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20] as const

/** Writes these operators. */
export class GasCode {
  readonly #out: ByteWriter
  readonly #locals: FastLocals
  readonly #functions: { readonly more: number; readonly refill: number }

  /** `more` takes the rest of a slice and returns a full one; `refill` does so with the global. */
  constructor(out: ByteWriter, locals: FastLocals, functions: { readonly more: number; readonly refill: number }) {
    this.#out = out
    this.#locals = locals
    this.#functions = functions
  }

  /** gas -= units; negative units give gas back. */
  pay(units: number): void {
    this.left(units)
    this.take()
  }

  /** Pushes the gas left after a payment. */
  left(units: number): void {
    const out = this.#out
    out.indexed(operator.localGet, this.#locals.gas)
    if (units === 0) return
    out.byte(operator.i64Const)
    out.signed(Math.abs(units))
    out.byte(units > 0 ? operator.i64Sub : operator.i64Add)
  }

  /** Pops the gas from the stack. */
  take(): void {
    this.#out.indexed(operator.localSet, this.#locals.gas)
  }

  /** if (gas < 0) gas = more(gas) */
  refillWhenShort(): void {
    const out = this.#out
    this.#isShort()
    out.bytes([operator.if, 0x40])
    this.left(0)
    out.indexed(operator.call, this.#functions.more)
    this.take()
    out.byte(operator.end)
  }

  /**
   * if (gas < 0) goto label, at the head of a loop: written as an unsigned comparison, with which JavaScriptCore makes better code of
   * loops that pay in more than one place; V8 gains in some loops and loses in others (docs/benchmarks/virtual-machine.md).
   */
  branchWhenShort(label: number): void {
    this.left(0)
    this.#out.bytes(moreThanEver)
    this.#out.byte(operator.i64GreaterUnsigned)
    this.#out.indexed(operator.brIf, label)
  }

  /**
   * Before a long bulk operator, leaves WebAssembly for a moment, where a thread can be terminated, because gas does not bound its time.
   * Its length is on top of the stack.
   */
  leaveWhereLong(over: keyof typeof few): void {
    const { i32 } = this.#locals
    const out = this.#out
    out.indexed(operator.localTee, i32)
    out.indexed(operator.localGet, i32)
    out.byte(operator.i32Const)
    out.signed(few[over])
    out.bytes([operator.i32GreaterUnsigned, operator.if, 0x40, operator.call])
    out.u32(this.#functions.refill)
    out.byte(operator.end)
  }

  #isShort(): void {
    this.left(0)
    this.#out.bytes([operator.i64Const, 0, operator.i64LessSigned])
  }
}
