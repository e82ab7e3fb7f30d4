/** Notes on each block of a module from the first pass, in the order in which blocks open. */

const hasElse = 1
const inTable = 2
/** How often a loop is written, above these bits; 0 for once. */
const copiesShift = 2

/** One byte for each block, loop and `if`, and for each function. */
export class LabelNotes {
  #notes = new Uint8Array(1_024)
  #count = 0

  /** Adds a block and returns its position. */
  add(): number {
    if (this.#count === this.#notes.length) {
      const larger = new Uint8Array(this.#count * 2)
      larger.set(this.#notes)
      this.#notes = larger
    }
    this.#count += 1
    return this.#count - 1
  }

  /** Notes that the block at this position is an `if` with an `else`. */
  noteElse(place: number): void {
    this.#notes[place] = (this.#notes[place] ?? 0) | hasElse
  }

  /** Notes that a `br_table` names the block at this position. */
  noteTable(place: number): void {
    this.#notes[place] = (this.#notes[place] ?? 0) | inTable
  }

  /** Notes how often the loop at this position is written. */
  noteCopies(place: number, copies: number): void {
    this.#notes[place] = (this.#notes[place] ?? 0) | (copies << copiesShift)
  }

  /** Reads the notes from the first on. */
  read(): LabelReader {
    return new LabelReader(this.#notes)
  }
}

/** A cursor over the notes. */
export class LabelReader {
  readonly #notes: Uint8Array
  #at = -1

  constructor(notes: Uint8Array) {
    this.#notes = notes
  }

  /** Advances to the next block that opens. */
  next(): void {
    this.#at += 1
  }

  /** Whether the block is an `if` with an `else`. */
  get hasElse(): boolean {
    return ((this.#notes[this.#at] ?? 0) & hasElse) !== 0
  }

  /** Whether a `br_table` names the block. */
  get inTable(): boolean {
    return ((this.#notes[this.#at] ?? 0) & inTable) !== 0
  }

  /** How often the block is written: more than once only for short loops. */
  get copies(): number {
    return Math.max(1, (this.#notes[this.#at] ?? 0) >> copiesShift)
  }
}
