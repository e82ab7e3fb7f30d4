/** The first state of a memory, to put it back. */

/** A copy of the bytes up to the last one that is not zero. */
export class MemoryImage {
  readonly #length: number
  readonly #bytes: Uint8Array

  constructor(buffer: ArrayBufferLike) {
    const bytes = new Uint8Array(buffer)
    const last = bytes.findLastIndex((byte) => byte !== 0)
    this.#length = bytes.length
    this.#bytes = bytes.slice(0, last + 1)
  }

  /** What the memory and its copy take, bytes. */
  get size(): number {
    return this.#length + this.#bytes.length
  }

  /** Puts everything back. False, and nothing done, where the memory has grown: it never shrinks again. */
  restore(buffer: ArrayBufferLike): boolean {
    if (buffer.byteLength !== this.#length) return false
    const bytes = new Uint8Array(buffer)
    bytes.set(this.#bytes)
    bytes.fill(0, this.#bytes.length)
    return true
  }
}
