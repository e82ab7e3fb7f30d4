/** The bounded reader of module bytes: nothing is read past the end, and no integer is longer than its type. */
import { refuse } from "./refusal.ts"

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** A cursor over part of a module. Every reading method refuses the module if the bytes are invalid. */
export class ByteReader {
  readonly bytes: Uint8Array
  /** The offset of the next byte, from the module's start. */
  at: number
  /** One past the last byte of this part. */
  end: number

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.bytes = bytes
    this.at = at
    this.end = end
  }

  /** Whether all of this part was read. */
  get done(): boolean {
    return this.at >= this.end
  }

  /** The next byte. */
  byte(): number {
    if (this.at >= this.end) return refuse("malformed", "unexpected end", this.at)
    const byte = this.bytes[this.at] ?? 0
    this.at += 1
    return byte
  }

  /** The next byte without reading it. */
  peek(): number {
    return this.at < this.end ? (this.bytes[this.at] ?? 0) : refuse("malformed", "unexpected end", this.at)
  }

  /** Skips `count` bytes. */
  skip(count: number): void {
    if (count > this.end - this.at) refuse("malformed", "unexpected end", this.at)
    this.at += count
  }

  /** An unsigned 32-bit integer in LEB128. */
  u32(): number {
    const first = this.byte()
    return first < 0x80 ? first : this.longU32(first)
  }

  // Apart from what is nearly always done, which an engine then makes part of whoever calls it.
  private longU32(first: number): number {
    let value = first & 0x7f
    for (let shift = 7; shift < 28; shift += 7) {
      const byte = this.byte()
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    // The fifth byte carries four bits, and goes beyond what operators on bits can hold.
    const last = this.byte()
    return last > 0x0f ? this.badInteger() : value + last * 2 ** 28
  }

  /** Skips a signed integer of `bits` bits in LEB128. */
  skipSigned(bits: 32 | 64): void {
    if (this.byte() >= 0x80) this.skipLongSigned(bits)
  }

  private skipLongSigned(bits: 32 | 64): void {
    const longest = bits === 32 ? 5 : 10
    for (let count = 2; ; count += 1) {
      const byte = this.byte()
      if (count === longest) {
        // The bits beyond the type must repeat its sign bit.
        const own = bits - 7 * (longest - 1)
        const sign = (byte & 0x7f) >> (own - 1)
        if (byte >= 0x80 || (sign !== 0 && sign !== 0x7f >> (own - 1))) this.badInteger()
      }
      if (byte < 0x80) return
    }
  }

  /** A signed 33-bit integer in LEB128, as block types are encoded. */
  s33(): number {
    let value = 0
    for (let count = 1; ; count += 1) {
      const byte = this.byte()
      // The fifth byte has five bits, and its two upper bits must repeat the sign.
      if (count === 5 && (byte >= 0x80 || (byte >> 4 !== 0 && byte >> 4 !== 7))) return this.badInteger()
      value += (byte & 0x7f) * 2 ** (7 * (count - 1))
      if (byte < 0x80) return (byte & 0x40) === 0 ? value : value - 2 ** (7 * count)
    }
  }

  /** The length of a vector, at most `most` entries of `what`. */
  count(what: string, most: number): number {
    const at = this.at
    const count = this.u32()
    // Every entry takes at least one byte, so a larger count is wrong and must not be used.
    if (count > this.end - this.at) refuse("malformed", `unexpected end: ${count} ${what} announced`, at)
    return count > most ? refuse("bound", `too many ${what}: ${count}, at most ${most}`, at) : count
  }

  /** A UTF-8 name. */
  name(): string {
    const length = this.u32()
    const from = this.at
    this.skip(length)
    try {
      return strictUtf8.decode(this.bytes.subarray(from, this.at))
    } catch {
      return refuse("malformed", "malformed UTF-8 encoding", from)
    }
  }

  /** A reader of the next `length` bytes; this one continues after them. */
  part(length: number): ByteReader {
    const from = this.at
    this.skip(length)
    return new ByteReader(this.bytes, from, this.at)
  }

  private badInteger(): never {
    return refuse("malformed", "integer representation too long or too large", this.at)
  }
}
