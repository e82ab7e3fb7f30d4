/** Messages on a stream of bytes: each behind its length in four bytes, little end first. */

/** The bytes before each message. */
export const lengthBytes = 4

/** The length that stands before a message. */
export const lengthIn = (prefix: Uint8Array): number => new DataView(prefix.buffer, prefix.byteOffset, lengthBytes).getUint32(0, true)

/** A message behind its length. */
export const frameOf = (message: Uint8Array): Uint8Array => {
  const frame = new Uint8Array(lengthBytes + message.length)
  new DataView(frame.buffer).setUint32(0, message.length, true)
  frame.set(message, lengthBytes)
  return frame
}

/** Puts messages together from the pieces in which a stream brings them. */
export class FrameReader {
  readonly #maxBytes: number
  #pieces: Array<Uint8Array> = []
  #have = 0
  #need = lengthBytes
  #isLength = true

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The messages that are complete with this piece, in order; undefined if one says that it is longer than any may be. */
  push(piece: Uint8Array): ReadonlyArray<Uint8Array> | undefined {
    const messages: Array<Uint8Array> = []
    let rest = piece
    while (rest.length > 0 || this.#have === this.#need) {
      const taken = rest.subarray(0, this.#need - this.#have)
      rest = rest.subarray(taken.length)
      if (taken.length > 0) this.#pieces.push(taken)
      this.#have += taken.length
      if (this.#have < this.#need) break
      const whole = this.#whole()
      if (!this.#isLength) messages.push(whole)
      this.#need = this.#isLength ? lengthIn(whole) : lengthBytes
      this.#isLength = !this.#isLength
      if (this.#need > this.#maxBytes) return undefined
    }
    return messages
  }

  #whole(): Uint8Array {
    const whole = new Uint8Array(this.#need)
    let at = 0
    for (const piece of this.#pieces) {
      whole.set(piece, at)
      at += piece.length
    }
    this.#pieces = []
    this.#have = 0
    return whole
  }
}
