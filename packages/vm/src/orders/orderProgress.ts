/** Which phase of its order a worker is in: a word of shared memory, which the pool reads when the order takes too long. */

/** Written by the worker, read by the pool, which clears it before each order. */
export class OrderProgress {
  readonly #word: Int32Array

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(4)) {
    this.#word = new Int32Array(memory)
  }

  /** To be given to the worker. */
  get memory(): SharedArrayBuffer {
    return this.#word.buffer as SharedArrayBuffer
  }

  /** A new order begins. */
  clear(): void {
    Atomics.store(this.#word, 0, 0)
  }

  /** The tally phase begins, this long after the order did. */
  beginTally(afterMs: number): void {
    Atomics.store(this.#word, 0, 1 + Math.min(Math.ceil(afterMs), 2 ** 31 - 2))
  }

  /** How long after the beginning of its order the tally phase began, in whole ms; undefined if it has not. */
  get tallyAfterMs(): number | undefined {
    const word = Atomics.load(this.#word, 0)
    return word === 0 ? undefined : word - 1
  }
}
