/** The types of the operands that a function body has on its stack, as the validation algorithm keeps them. */
import type { ControlFrames } from "./controlFrames.ts"
import { refuse } from "./refusal.ts"
import type { ValueType } from "./valueType.ts"

/** The type of an operand in code that is never reached, where it may be whatever is asked for. */
export const anyType = 0

/** A value type, or {@link anyType}. */
export type OperandType = ValueType | typeof anyType

/** The stack. Each taking method refuses the module when the operand is not there or has another type. */
export class OperandStack {
  private readonly frames: ControlFrames
  private readonly types: Array<number> = []

  /** `frames` are the open blocks: code reaches only the operands of the innermost one. */
  constructor(frames: ControlFrames) {
    this.frames = frames
  }

  /** How many operands there are, those of the blocks around included. */
  get height(): number {
    return this.types.length
  }

  /** Puts an operand on the stack. */
  push(type: number): void {
    this.types.push(type)
  }

  /** Takes an operand, whatever it is. `at` is the byte of the operator. */
  popAny(at: number): OperandType {
    const { height, unreachable } = this.frames.top
    if (this.types.length > height) return (this.types.pop() ?? anyType) as OperandType
    return unreachable ? anyType : this.mismatch(at)
  }

  /** Takes an operand of this type. `at` is the byte of the operator. */
  pop(expected: number, at: number): void {
    const given = this.popAny(at)
    if (given !== expected && given !== anyType) this.mismatch(at)
  }

  /** Takes an operand of one type and puts one of another in its place. */
  replace(expected: number, by: number, at: number): void {
    this.pop(expected, at)
    this.types.push(by)
  }

  /** Takes operands of these types, the last first. */
  popAll(types: ReadonlyArray<ValueType>, at: number): void {
    for (let place = types.length - 1; place >= 0; place -= 1) this.pop(types[place] ?? anyType, at)
  }

  /** Puts operands of these types on the stack. */
  pushAll(types: ReadonlyArray<ValueType>): void {
    for (const type of types) this.types.push(type)
  }

  /** The rest of the block is never reached. */
  endReach(): void {
    const { top } = this.frames
    this.types.length = top.height
    top.unreachable = true
  }

  /** Whether these types lie on top; takes nothing away. */
  checkTop(types: ReadonlyArray<ValueType>, at: number): void {
    const { top } = this.frames
    const height = this.types.length
    if (types.length > height - top.height && !top.unreachable) this.mismatch(at)
    for (let last = 1; last <= Math.min(types.length, height - top.height); last += 1) {
      const given = this.types[height - last]
      if (given !== anyType && given !== types[types.length - last]) this.mismatch(at)
    }
  }

  private mismatch(at: number): never {
    return refuse("invalid", "type mismatch", at)
  }
}
