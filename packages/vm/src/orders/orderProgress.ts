/** Which order a worker is in, which phase of it, and which it is to leave out: memory that the worker shares with its pool. */

/** Orders count from 1 for each worker. */
export class OrderProgress {
  /**
   * How many orders have ended; of the present one, when its tally phase began (0 if it has not, else 1 + ms); after which order, and
   * up to which, those that have not begun are left out.
   */
  readonly #words: Int32Array

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(16)) {
    this.#words = new Int32Array(memory)
  }

  /** To be given to the worker. */
  get memory(): SharedArrayBuffer {
    return this.#words.buffer as SharedArrayBuffer
  }

  /** An order has ended. To be said before its report is sent. */
  ended(): void {
    Atomics.store(this.#words, 1, 0)
    Atomics.add(this.#words, 0, 1)
  }

  /** The tally phase begins, this long after the order did. */
  beginTally(afterMs: number): void {
    Atomics.store(this.#words, 1, 1 + Math.min(Math.ceil(afterMs), 2 ** 31 - 2))
  }

  /** What has not begun of the orders after `after` and up to `upTo` is to be left out. */
  recall(after: number, upTo: number): void {
    Atomics.store(this.#words, 2, after)
    Atomics.store(this.#words, 3, upTo)
  }

  /** Whether the next order is to be left out. */
  get isNextRecalled(): boolean {
    const ended = Atomics.load(this.#words, 0)
    // In the reverse of the order in which they are written: both only grow, so that at worst fewer are left out.
    return ended < Atomics.load(this.#words, 3) && ended >= Atomics.load(this.#words, 2)
  }

  /** Whether the order after so many others has ended too: its report is on its way. */
  isPast(orders: number): boolean {
    return Atomics.load(this.#words, 0) !== (orders | 0)
  }

  /** How long after the beginning of the order after so many others its tally phase began, in whole ms; undefined if it has not. */
  tallyAfterMs(orders: number): number | undefined {
    const word = Atomics.load(this.#words, 1)
    return word === 0 || this.isPast(orders) ? undefined : word - 1
  }
}
