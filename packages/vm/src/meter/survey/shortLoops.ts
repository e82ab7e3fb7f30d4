/**
 * Which loops the fast build writes several times over. A loop of few operators takes as long for looking whether gas is short as for
 * them; repeated, it looks once in several iterations. It may run short by so many iterations then; what follows from running short is
 * decided by the exact build.
 */
import type { LabelNotes } from "./labelNotes.ts"

/** A loop is written so many times if its body has at most so many bytes. */
const longest = [
  { bytes: 48, copies: 4 },
  { bytes: 96, copies: 2 }
] as const

/** What a copy takes beside the body, in bytes. */
const aroundCopy = 5

/** In functions with more locals than this, every branch is dear to compile. */
const mostLocals = 128

/** How many bytes all copies of a module may take: as many as this, or this share of its code. */
const room = { bytes: 512, share: 1 / 32 } as const

interface ShortLoop {
  /** Its place among the labels of the module. */
  readonly place: number
  readonly bytes: number
  readonly copies: number
}

/** Finds the loops that call nothing and contain no other loop. */
export class ShortLoops {
  readonly #found: Array<ShortLoop> = []
  /** For each open block, where a loop's body begins; nowhere for other blocks. None are open between functions. */
  readonly #bodies: Array<number> = []
  /** The last operator that no repeated loop may contain. */
  #lastBarrier = 0
  #locals = 0

  /** Begins a function. Locals include the parameters. */
  begin(locals: number): void {
    this.#locals = locals
    this.#bodies.push(-1)
  }

  /** A block opens. */
  openBlock(): void {
    this.#bodies.push(-1)
  }

  /** A loop opens, with its operator at a byte and its body from another one on. One that takes or leaves values is not repeated. */
  openLoop(at: number, body: number, isPlain: boolean): void {
    this.#lastBarrier = at
    this.#bodies.push(isPlain ? body : -1)
  }

  /** An operator at this byte that no repeated loop may contain. */
  barrier(at: number): void {
    this.#lastBarrier = at
  }

  /** The innermost block, of this place among the labels, ends at a byte. */
  close(at: number, place: number): void {
    const body = this.#bodies.pop() ?? -1
    if (body <= this.#lastBarrier || this.#locals > mostLocals) return
    const bytes = at - body
    const fitting = longest.find((each) => bytes <= each.bytes)
    if (fitting !== undefined) this.#found.push({ place, bytes, copies: fitting.copies })
  }

  /** Notes how often each loop is to be written: the shortest first, while there is room. */
  choose(labels: LabelNotes, codeBytes: number): void {
    let left = Math.max(room.bytes, codeBytes * room.share)
    for (const { bytes, copies, place } of this.#found.toSorted((one, two) => one.bytes - two.bytes)) {
      left -= (copies - 1) * (bytes + aroundCopy) + aroundCopy
      if (left < 0) return
      labels.noteCopies(place, copies)
    }
  }
}
