/** The blocks that are open while a body is metered for speed, and what each way to a block's label owes. */
import type { BodyReader } from "../binary/bodyReader.ts"
import type { FunctionType } from "../binary/moduleShape.ts"
import { operator } from "../binary/operators.ts"
import type { LabelReader } from "./labelNotes.ts"

/** One open block. Amounts are in the units in which the build counts gas. */
export interface FastFrame {
  opener: number
  /** What code owes that has arrived at the label; undefined while nothing has. Every later way there pays the difference. */
  owedAtLabel: number | undefined
  /** What was owed where it opened. */
  owedAtStart: number
  /** Whether the block itself is never reached. */
  dead: boolean
  /** Whether it is an `if` that is left at once where its condition fails. */
  skippable: boolean
  /** How many values a branch to the label takes along. */
  arity: number
  /** How many loops the meter has put around the program's, up to this block. */
  outerLoops: number
}

const newFrame = (): FastFrame => ({
  opener: operator.block,
  owedAtLabel: undefined,
  owedAtStart: 0,
  dead: false,
  skippable: false,
  arity: 0,
  outerLoops: 0
})

/** The stack of open blocks; the function is the first of them. Frames are used again. */
export class FastFrames {
  readonly #frames: Array<FastFrame> = []
  /** How many blocks are open around the innermost one. */
  depth = -1

  /** Opens a function; nothing else is open then. `labels` stands before its note. */
  begin(type: FunctionType, labels: LabelReader): void {
    labels.next()
    this.depth = -1
    const frame = this.#push(operator.block, type.results.length, 0)
    if (labels.inTable) frame.owedAtLabel = 0
  }

  /** The block that a label names. */
  at(label: number): FastFrame {
    return this.#frames[this.depth - label] as FastFrame
  }

  /** What names the same block in the code that is written. */
  labelOf(label: number): number {
    return label + this.at(0).outerLoops - this.at(label).outerLoops
  }

  /** Opens the block that the reader has just read. All is paid on every way to a label that a `br_table` names. */
  open(body: BodyReader, owed: number, dead: boolean, notes: LabelReader, outerLoop = false): void {
    const { blockType, operator: opener } = body
    const isLoop = opener === operator.loop
    const skippable = opener === operator.if && !notes.hasElse
    const { outerLoops } = this.at(0)
    const frame = this.#push(opener, isLoop ? blockType.parameters.length : blockType.results.length, owed)
    frame.owedAtLabel = notes.inTable ? 0 : isLoop || skippable ? owed : undefined
    frame.dead = dead
    frame.skippable = skippable && !dead
    frame.outerLoops = outerLoops + (outerLoop ? 1 : 0)
  }

  /** Closes the innermost block. True where the meter has put a loop around it. */
  close(): boolean {
    const { outerLoops } = this.at(0)
    this.depth -= 1
    return outerLoops > this.at(0).outerLoops
  }

  /** A live block with nothing at its label. */
  #push(opener: number, arity: number, owedAtStart: number): FastFrame {
    this.depth += 1
    const frame = (this.#frames[this.depth] ??= newFrame())
    frame.opener = opener
    frame.owedAtLabel = undefined
    frame.owedAtStart = owedAtStart
    frame.dead = false
    frame.skippable = false
    frame.arity = arity
    frame.outerLoops = 0
    return frame
  }
}
