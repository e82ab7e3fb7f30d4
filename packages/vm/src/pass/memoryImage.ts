/** The initial state of a memory, to restore it. */

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

  /** The bytes of the memory and its copy. */
  get size(): number {
    return this.#length + this.#bytes.length
  }

  /** Restores the memory. False, and nothing done, if it has grown, because it cannot shrink. */
  restore(buffer: ArrayBufferLike): boolean {
    if (buffer.byteLength !== this.#length) return false
    const bytes = new Uint8Array(buffer)
    bytes.set(this.#bytes)
    bytes.fill(0, this.#bytes.length)
    return true
  }
}
