/** The blocks that are open while a body is metered for speed, and what each way to a block's label owes. */
import type { BodyReader } from "../binary/bodyReader.ts"
import type { FunctionType } from "../binary/moduleShape.ts"
import { operator } from "../binary/operators.ts"
import type { LabelReader } from "./survey/labelNotes.ts"

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
  /** How many blocks the meter has put around the program's, up to this one. */
  added: number
  /** How often the block is written. */
  copies: number
  /** Where its first copy begins in the output. */
  writtenFrom: number
}

const newFrame = (): FastFrame => ({
  opener: operator.block,
  owedAtLabel: undefined,
  owedAtStart: 0,
  dead: false,
  skippable: false,
  arity: 0,
  added: 0,
  copies: 1,
  writtenFrom: 0
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
    return label + this.at(0).added - this.at(label).added
  }

  /**
   * Opens the block that the reader has just read; the meter puts `added` blocks around it. All is paid on every way to a label that a
   * `br_table` names.
   */
  open(body: BodyReader, owed: number, dead: boolean, notes: LabelReader, added = 0): FastFrame {
    const { blockType, operator: opener } = body
    const isLoop = opener === operator.loop
    const skippable = opener === operator.if && !notes.hasElse
    const around = this.at(0).added
    const frame = this.#push(opener, isLoop ? blockType.parameters.length : blockType.results.length, owed)
    frame.owedAtLabel = notes.inTable ? 0 : isLoop || skippable ? owed : undefined
    frame.dead = dead
    frame.skippable = skippable && !dead
    frame.added = around + added
    if (added > 0) frame.copies = notes.copies
    return frame
  }

  /** Closes the innermost block, and returns how many blocks the meter has put around it. */
  close(): number {
    const { added } = this.at(0)
    this.depth -= 1
    return added - this.at(0).added
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
    frame.added = 0
    frame.copies = 1
    return frame
  }
}
