/** A growing buffer with the encodings of the binary format. */

/** Up to this many bytes, a loop copies faster than `set` with a view. */
const shortRun = 64

/** The most that the encoding of a length takes. */
const mostLengthBytes = 5

const encoder = new TextEncoder()

/** Appends bytes; `written` shows what is there so far. */
export class ByteWriter {
  private buffer: Uint8Array
  private used = 0

  /** `capacity` in bytes, doubled whenever it does not suffice. */
  constructor(capacity = 256) {
    this.buffer = new Uint8Array(capacity)
  }

  /** How many bytes were written. */
  get length(): number {
    return this.used
  }

  /** A view of what was written, valid until the next write. */
  written(): Uint8Array {
    return this.buffer.subarray(0, this.used)
  }

  /** Forgets everything and keeps the buffer. */
  clear(): void {
    this.used = 0
  }

  /** One byte. */
  byte(value: number): void {
    if (this.used === this.buffer.length) this.reserve(1)
    this.buffer[this.used] = value
    this.used += 1
  }

  /** Several bytes. */
  bytes(values: Uint8Array | ReadonlyArray<number>): void {
    const { length } = values
    this.reserve(length)
    const { buffer, used } = this
    if (length > shortRun) buffer.set(values, used)
    else for (let at = 0; at < length; at += 1) buffer[used + at] = values[at] ?? 0
    this.used = used + length
  }

  /** The bytes [from, to) of `source`. */
  copy(source: Uint8Array, from: number, to: number): void {
    const length = to - from
    if (length > shortRun) return this.bytes(source.subarray(from, to))
    this.reserve(length)
    const { buffer, used } = this
    for (let at = 0; at < length; at += 1) buffer[used + at] = source[from + at] ?? 0
    this.used = used + length
  }

  /** The bytes [from, to) of what was written, once more. */
  again(from: number, to: number): void {
    this.reserve(to - from)
    this.buffer.copyWithin(this.used, from, to)
    this.used += to - from
  }

  /** An unsigned 32-bit integer in LEB128. */
  u32(value: number): void {
    let rest = value
    while (rest >= 0x80) {
      this.byte((rest & 0x7f) | 0x80)
      rest >>>= 7
    }
    this.byte(rest)
  }

  /** An operator with its index: of a local, global, function or label. */
  indexed(operator: number, index: number): void {
    if (index >= 0x80 || this.used + 2 > this.buffer.length) {
      this.byte(operator)
      return this.u32(index)
    }
    this.buffer[this.used] = operator
    this.buffer[this.used + 1] = index
    this.used += 2
  }

  /** A non-negative integer below 2^53 as a signed LEB128, as constants are encoded. */
  signed(value: number): void {
    let rest = value
    while (rest >= 0x40) {
      this.byte((rest % 0x80) | 0x80)
      rest = Math.floor(rest / 0x80)
    }
    this.byte(rest)
  }

  /** A length-prefixed UTF-8 text. */
  name(text: string): void {
    const bytes = encoder.encode(text)
    this.u32(bytes.length)
    this.bytes(bytes)
  }

  /** Begins a length-prefixed part; its result is passed to `close`. */
  open(): number {
    const start = this.used
    this.reserve(mostLengthBytes)
    this.used = start + mostLengthBytes
    return start
  }

  /** Ends that part and writes its length; returns the length. */
  close(start: number): number {
    const from = start + mostLengthBytes
    const end = this.used
    const length = end - from
    this.used = start
    this.u32(length)
    this.buffer.copyWithin(this.used, from, end)
    this.used += length
    return length
  }

  /** Appends `content` with its length before it. */
  sized(content: ByteWriter): void {
    this.u32(content.length)
    this.bytes(content.written())
  }

  private reserve(more: number): void {
    if (this.used + more <= this.buffer.length) return
    const larger = new Uint8Array(Math.max(this.buffer.length * 2, this.used + more))
    larger.set(this.written())
    this.buffer = larger
  }
}
