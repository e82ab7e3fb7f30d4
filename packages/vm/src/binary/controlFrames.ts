/** The blocks that are open at a place in a function, as the validation algorithm of WebAssembly keeps them. */
import type { OpenLoop } from "./compileCost.ts"
import type { FunctionType } from "./moduleShape.ts"
import { operator } from "./operators.ts"
import type { ValueType } from "./valueType.ts"

/** One open block. */
export interface ControlFrame {
  /** The operator that opened it; `block` for the function itself, `else` once that was seen. */
  opener: number
  type: FunctionType
  /** Operands below it, which code inside cannot reach. */
  height: number
  /** Whether the rest of the block is never reached: then it has every operand that is asked for. */
  unreachable: boolean
  /** The last `br_table` that named it: each looks at a block once. */
  lastTable: number
  /** What is counted of a loop. */
  loop: OpenLoop | undefined
}

/** What a branch to the block takes along: its results, or a loop's parameters. */
export const labelTypes = (frame: ControlFrame): ReadonlyArray<ValueType> =>
  frame.opener === operator.loop ? frame.type.parameters : frame.type.results

/** Whether two lists of types are the same. */
export const sameTypes = (left: ReadonlyArray<ValueType>, right: ReadonlyArray<ValueType>): boolean =>
  left.length === right.length && left.every((type, at) => type === right[at])

/** The stack of open blocks. Frames are used again. */
export class ControlFrames {
  /** The innermost open block. */
  top: ControlFrame
  private readonly frames: Array<ControlFrame> = []
  private open = 0

  /** Opens the function itself. */
  constructor(type: FunctionType) {
    this.top = this.push(operator.block, type, 0)
  }

  /** How many blocks are open, the function included. */
  get depth(): number {
    return this.open
  }

  /** The block that a label names. */
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
    return frame
  }

  /** Closes the innermost block. After the function's own, `top` stays what it was. */
  pop(): void {
    this.open -= 1
    this.top = this.frames[this.open - 1] ?? this.top
  }
}
