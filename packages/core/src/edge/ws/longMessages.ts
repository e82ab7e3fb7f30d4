/** Long messages take turns of the event loop: a few clients that send nothing else would keep everybody from theirs. */

/** Shorter ones are read at once. */
const longChars = 65_536

/** Characters of long messages that are read in one turn, of all connections together. */
const charsPerTurn = 1_048_576

/** What the connections of a service share. */
export class LongMessages {
  readonly #nextTurn: (then: () => void) => void
  #charsLeft = charsPerTurn
  /** Who waits for the next turn, in order. */
  #waiting: Array<() => void> = []

  /** `nextTurn` calls back in another turn of the event loop. */
  constructor(nextTurn: (then: () => void) => void) {
    this.#nextTurn = nextTurn
  }

  /** Whether a message has to wait for the next turn. */
  mustWait(text: string): boolean {
    return text.length > longChars && this.#charsLeft <= 0
  }

  /** Calls back once a long message may be read again, after all who have waited for longer. */
  wait(then: () => void): void {
    this.#waiting.push(then)
  }

  /** It is being read. Turns are counted only once enough was read: a timer for each message would cost more than most of them. */
  spend(text: string): void {
    if (text.length <= longChars) return
    const wasSpent = this.#charsLeft <= 0
    this.#charsLeft -= text.length
    if (!wasSpent && this.#charsLeft <= 0) this.#nextTurn(() => this.#turn())
  }

  #turn(): void {
    this.#charsLeft = charsPerTurn
    while (this.#charsLeft > 0) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      next()
    }
  }
}
