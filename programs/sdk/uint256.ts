/** Unsigned 256-bit integers, as the EVM reads them. Operations report overflow and never wrap. */

/** 2^32 - 1, the value of one full limb. */
const limbMask: u64 = 0xffffffff

/** An unsigned 256-bit integer, changed in place. */
export class Uint256 {
  /** Eight limbs of 32 bits, the lowest first. */
  private readonly limbs: StaticArray<u32> = new StaticArray<u32>(8)

  /** Sets this to `this * factor + addend`; false if that does not fit, and the value is then undefined. */
  multiplyAdd(factor: u32, addend: u32): bool {
    let carry: u64 = addend
    for (let at = 0; at < 8; at++) {
      carry += <u64>unchecked(this.limbs[at]) * factor
      unchecked((this.limbs[at] = <u32>carry))
      carry >>= 32
    }
    return carry == 0
  }

  /** Sets this to `this / divisor`, rounded down; returns the remainder. */
  divide(divisor: u32): u32 {
    let rest: u64 = 0
    for (let at = 7; at >= 0; at--) {
      const part = (rest << 32) | unchecked(this.limbs[at])
      unchecked((this.limbs[at] = <u32>(part / divisor)))
      rest = part % divisor
    }
    return <u32>rest
  }

  /** Sets this to `this + other`; false if that does not fit, and the value is then undefined. */
  add(other: Uint256): bool {
    let carry: u64 = 0
    for (let at = 0; at < 8; at++) {
      carry += <u64>unchecked(this.limbs[at]) + unchecked(other.limbs[at])
      unchecked((this.limbs[at] = <u32>carry))
      carry >>= 32
    }
    return carry == 0
  }

  /** Sets this to `this - other`; false if that is negative, and the value is then undefined. */
  subtract(other: Uint256): bool {
    let borrow: u64 = 0
    for (let at = 0; at < 8; at++) {
      const rest = <u64>unchecked(this.limbs[at]) - unchecked(other.limbs[at]) - borrow
      unchecked((this.limbs[at] = <u32>rest))
      borrow = rest >> 63
    }
    return borrow == 0
  }

  /** The product, `null` if it does not fit. */
  times(other: Uint256): Uint256 | null {
    const product = new Uint256()
    for (let at = 0; at < 8; at++) {
      const factor: u64 = unchecked(this.limbs[at])
      if (factor == 0) continue
      let carry: u64 = 0
      for (let to = at; to < 8; to++) {
        carry += factor * unchecked(other.limbs[to - at]) + unchecked(product.limbs[to])
        unchecked((product.limbs[to] = <u32>carry))
        carry >>= 32
      }
      if (carry != 0) return null
      for (let lost = 8 - at; lost < 8; lost++) {
        if (unchecked(other.limbs[lost]) != 0) return null
      }
    }
    return product
  }

  isZero(): bool {
    let any: u32 = 0
    for (let at = 0; at < 8; at++) any |= unchecked(this.limbs[at])
    return any == 0
  }

  isOdd(): bool {
    return (unchecked(this.limbs[0]) & 1) == 1
  }

  isLessThan(other: Uint256): bool {
    for (let at = 7; at >= 0; at--) {
      const mine = unchecked(this.limbs[at])
      const theirs = unchecked(other.limbs[at])
      if (mine != theirs) return mine < theirs
    }
    return false
  }

  copy(): Uint256 {
    const twin = new Uint256()
    for (let at = 0; at < 8; at++) unchecked((twin.limbs[at] = this.limbs[at]))
    return twin
  }

  /** The 32 big-endian bytes, as the EVM lays out a `uint256`. */
  toBytes(): Uint8Array {
    const bytes = new Uint8Array(32)
    for (let at = 0; at < 8; at++) store<u32>(bytes.dataStart + 28 - 4 * at, bswap<u32>(unchecked(this.limbs[at])))
    return bytes
  }

  /** A small value. */
  static of(value: u32): Uint256 {
    const small = new Uint256()
    unchecked((small.limbs[0] = value))
    return small
  }

  /** The value of 32 big-endian bytes. */
  static fromBytes(bytes: Uint8Array): Uint256 {
    const value = new Uint256()
    for (let at = 0; at < 8; at++) unchecked((value.limbs[at] = bswap<u32>(load<u32>(bytes.dataStart + 28 - 4 * at))))
    return value
  }

  /** The decimal digits, without leading zeros except for 0 itself. */
  toString(): string {
    const rest = this.copy()
    let digits = ""
    do {
      digits = String.fromCharCode(0x30 + rest.divide(10)) + digits
    } while (!rest.isZero())
    return digits
  }
}
