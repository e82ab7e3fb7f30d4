/** The types of the operands on a function body's stack, as in the validation algorithm. */
import type { ControlFrames } from "./controlFrames.ts"
import { refuse } from "./refusal.ts"
import type { ValueType } from "./valueType.ts"

/** The type of an operand in unreachable code, which matches any type. */
export const anyType = 0

/** A value type, or {@link anyType}. */
export type OperandType = ValueType | typeof anyType

/** The stack. Each popping method refuses the module if the operand is missing or has another type. */
export class OperandStack {
  /** The number of operands, including those of the enclosing blocks. */
  height = 0
  private readonly frames: ControlFrames
  private types = new Uint8Array(256)

  /** `frames` are the open blocks: code can access only the operands of the innermost one. */
  constructor(frames: ControlFrames) {
    this.frames = frames
  }

  /** Takes everything away. */
  clear(): void {
    this.height = 0
  }

  /** Pushes an operand. */
  push(type: number): void {
    if (this.height === this.types.length) this.grow()
    this.types[this.height] = type
    this.height += 1
  }

  /** Pops an operand of any type. `at` is the byte of the operator. */
  popAny(at: number): OperandType {
    const { height, unreachable } = this.frames.top
    if (this.height <= height) return unreachable ? anyType : this.mismatch(at)
    this.height -= 1
    return (this.types[this.height] ?? anyType) as OperandType
  }

  /** Pops an operand of this type. `at` is the byte of the operator. */
  pop(expected: number, at: number): void {
    const last = this.height - 1
    // Nearly always: looking at the block's other facts takes as long again.
    if (last >= this.frames.floor && this.types[last] === expected) {
      this.height = last
      return
    }
    const given = this.popAny(at)
    if (given !== expected && given !== anyType) this.mismatch(at)
  }

  /** Pops the operands of a signature (`operandTypes.ts`) and pushes its result. */
  apply(signature: number, at: number): void {
    const { floor } = this.frames
    let { height } = this
    for (let operands = signature & 0xff_ffff; operands !== 0; operands >>>= 8) {
      const expected = operands & 0xff
      // Nearly always, as in `pop`.
      if (height > floor && this.types[height - 1] === expected) height -= 1
      else {
        this.height = height
        this.pop(expected, at)
        height = this.height
      }
    }
    this.height = height
    const result = signature >>> 24
    if (result !== 0) this.push(result)
  }

  /** Pops an operand of one type and pushes one of another. */
  replace(expected: number, by: number, at: number): void {
    this.pop(expected, at)
    this.push(by)
  }

  /** Pops operands of these types, the last first. */
  popAll(types: ReadonlyArray<ValueType>, at: number): void {
    for (let place = types.length - 1; place >= 0; place -= 1) this.pop(types[place] ?? anyType, at)
  }

  /** Pushes operands of these types. */
  pushAll(types: ReadonlyArray<ValueType>): void {
    for (let place = 0; place < types.length; place += 1) this.push(types[place] ?? anyType)
  }

  /** Marks the rest of the block as unreachable. */
  endReach(): void {
    const { top } = this.frames
    this.height = top.height
    top.unreachable = true
  }

  /** Checks that these types are on top, without popping them. */
  checkTop(types: ReadonlyArray<ValueType>, at: number): void {
    const { top } = this.frames
    const { height } = this
    if (types.length > height - top.height && !top.unreachable) this.mismatch(at)
    for (let last = 1; last <= Math.min(types.length, height - top.height); last += 1) {
      const given = this.types[height - last]
      if (given !== anyType && given !== types[types.length - last]) this.mismatch(at)
    }
  }

  private grow(): void {
    const larger = new Uint8Array(2 * this.height)
    larger.set(this.types)
    this.types = larger
  }

  private mismatch(at: number): never {
    return refuse("invalid", "type mismatch", at)
  }
}
