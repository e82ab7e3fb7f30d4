/** The stack of open blocks in a function, as in the validation algorithm of WebAssembly. */
import type { OpenLoop } from "./compileCost.ts"
import type { FunctionType } from "./moduleShape.ts"
import { operator } from "./operators.ts"
import type { ValueType } from "./valueType.ts"

/** One open block. */
export interface ControlFrame {
  /** The operator that opened it; `block` for the function itself, `else` once that has been read. */
  opener: number
  type: FunctionType
  /** The operands below it, which code inside cannot access. */
  height: number
  /** Whether the rest of the block is unreachable: then the stack has any operand that is needed. */
  unreachable: boolean
  /** The last `br_table` that named it, so that each checks a block once. */
  lastTable: number
  /** The cost of a loop. */
  loop: OpenLoop | undefined
}

/** The operands of a branch to the block: its results, or a loop's parameters. */
export const labelTypes = (frame: ControlFrame): ReadonlyArray<ValueType> =>
  frame.opener === operator.loop ? frame.type.parameters : frame.type.results

/** Whether two lists of types are equal. */
export const sameTypes = (left: ReadonlyArray<ValueType>, right: ReadonlyArray<ValueType>): boolean => {
  if (left.length !== right.length) return false
  for (let at = 0; at < left.length; at += 1) if (left[at] !== right[at]) return false
  return true
}

const noType: FunctionType = { parameters: [], results: [] }

/** The stack of open blocks. Frames are reused, also by the next function. */
export class ControlFrames {
  /** The innermost open block. */
  top: ControlFrame
  /** Its height. */
  floor = 0
  private readonly frames: Array<ControlFrame> = []
  private open = 0

  constructor() {
    this.top = this.push(operator.block, noType, 0)
  }

  /** Opens a function; nothing else is open then. */
  begin(type: FunctionType): void {
    this.open = 0
    this.push(operator.block, type, 0)
  }

  /** How many blocks are open, the function included. */
  get depth(): number {
    return this.open
  }

  /** The block of a label. */
  at(label: number): ControlFrame {
    return this.frames[this.open - 1 - label] ?? this.top
  }

  /** Opens a block. */
  push(opener: number, type: FunctionType, height: number): ControlFrame {
    let frame = this.frames[this.open]
    if (frame === undefined) {
      frame = { opener, type, height, unreachable: false, lastTable: 0, loop: undefined }
      this.frames.push(frame)
    } else {
      frame.opener = opener
      frame.type = type
      frame.height = height
      frame.unreachable = false
      frame.lastTable = 0
      frame.loop = undefined
    }
    this.open += 1
    this.top = frame
    this.floor = height
    return frame
  }

  /** Closes the innermost block. After the function's own, `top` does not change. */
  pop(): void {
    this.open -= 1
    if (this.open > 0) this.top = this.frames[this.open - 1] ?? this.top
    this.floor = this.top.height
  }
}
