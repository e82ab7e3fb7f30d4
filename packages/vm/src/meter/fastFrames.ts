/** The blocks that are open while a body is metered for speed, and what each way to a block's label owes. */
import type { BodyReader } from "../binary/bodyReader.ts"
import type { FunctionType } from "../binary/moduleShape.ts"
import { operator } from "../binary/operators.ts"
import type { LabelReader } from "./labelNotes.ts"

/** One open block. Amounts are in the units in which the build counts gas. */
export interface FastFrame {
  readonly opener: number
  /** What code owes that has arrived at the label; undefined while nothing has. Every later way there pays the difference. */
  owedAtLabel: number | undefined
  /** What was owed where it opened. */
  readonly owedAtStart: number
  /** Whether the block itself is never reached. */
  readonly dead: boolean
  /** Whether it is an `if` that is left at once where its condition fails. */
  readonly skippable: boolean
  /** How many values a branch to the label takes along. */
  readonly arity: number
  /** How many loops the meter has put around the program's, up to this block. */
  readonly outerLoops: number
}

/** The stack of open blocks; the function is the first of them. */
export class FastFrames {
  readonly #frames: Array<FastFrame>

  /** Opens the function. `labels` stands before its note. */
  constructor(type: FunctionType, labels: LabelReader) {
    labels.next()
    this.#frames = [
      {
        opener: operator.block,
        owedAtLabel: labels.inTable ? 0 : undefined,
        owedAtStart: 0,
        dead: false,
        skippable: false,
        arity: type.results.length,
        outerLoops: 0
      }
    ]
  }

  /** How many blocks are open around the innermost one. */
  get depth(): number {
    return this.#frames.length - 1
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
    this.#frames.push({
      opener,
      owedAtLabel: notes.inTable ? 0 : isLoop || skippable ? owed : undefined,
      owedAtStart: owed,
      dead,
      skippable: skippable && !dead,
      arity: isLoop ? blockType.parameters.length : blockType.results.length,
      outerLoops: this.at(0).outerLoops + (outerLoop ? 1 : 0)
    })
  }

  /** Closes the innermost block. True where the meter has put a loop around it. */
  close(): boolean {
    const { outerLoops } = this.at(0)
    this.#frames.pop()
    return outerLoops > this.at(0).outerLoops
  }
}
