/** The initial state of a memory, to restore it. */

/**
 * How many bytes there are up to the last one that is not zero. Most of a memory is zero, so this looks at four at a time, in a loop: a
 * call for each byte takes a tenth of a second for a memory of 10 MiB. A memory's length is a multiple of a page's.
 */
const usedLength = (buffer: ArrayBufferLike): number => {
  const words = new Uint32Array(buffer)
  let count = words.length
  while (count > 0 && words[count - 1] === 0) count -= 1
  const bytes = new Uint8Array(buffer, 0, 4 * count)
  return bytes.findLastIndex((byte) => byte !== 0) + 1
}

/** A copy of the bytes up to the last one that is not zero. */
export class MemoryImage {
  readonly #length: number
  readonly #bytes: Uint8Array

  constructor(buffer: ArrayBufferLike) {
    this.#length = buffer.byteLength
    this.#bytes = new Uint8Array(buffer).slice(0, usedLength(buffer))
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
