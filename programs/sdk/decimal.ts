/** Exact decimal numbers: parsed from text, rounded half to even, printed without floating point. */
import { Uint256 } from "./uint256"

/** The decimal places of every result: prices are returned in units of 10^-8. */
export const resultPlaces: i32 = 8

/** `±magnitude * 10^exponent`. */
export class Decimal {
  constructor(readonly isNegative: bool, readonly magnitude: Uint256, readonly exponent: i64) {}

  /**
   * Reads a JSON number (`-12.5e3`) times 10^`exponent`; `null` when the text is no such number, its digits exceed 256
   * bits, or its own exponent has more than nine digits.
   */
  static parse(text: string, exponent: i64 = 0): Decimal | null {
    const reader = new DecimalReader(text)
    const isNegative = reader.skip(0x2d)
    if (!reader.digits()) return null
    if (reader.skip(0x2e)) {
      const before = reader.at
      if (!reader.digits()) return null
      exponent -= reader.at - before
    }
    if (reader.skip(0x65) || reader.skip(0x45)) {
      const isDown = reader.skip(0x2d)
      if (!isDown) reader.skip(0x2b)
      const shift = reader.shift()
      if (shift < 0) return null
      exponent += isDown ? -shift : shift
    }
    if (reader.at < text.length) return null
    return new Decimal(isNegative, reader.magnitude, exponent)
  }

  /** A small whole number. */
  static of(value: u32): Decimal {
    return new Decimal(false, Uint256.of(value), 0)
  }

  isZero(): bool {
    return this.magnitude.isZero()
  }

  /** Whether the number is less than 0; a negative zero is not. */
  isBelowZero(): bool {
    return this.isNegative && !this.isZero()
  }

  /** The exact sum, `null` when its digits exceed 256 bits. */
  plus(other: Decimal): Decimal | null {
    if (other.isZero()) return this
    if (this.isZero()) return other
    const exponent = min(this.exponent, other.exponent)
    const sum = this.alignedTo(exponent)
    const addend = other.alignedTo(exponent)
    if (sum === null || addend === null) return null
    if (this.isNegative == other.isNegative) {
      return sum.add(addend) ? new Decimal(this.isNegative, sum, exponent) : null
    }
    const otherIsLarger = sum.isLessThan(addend)
    const larger = otherIsLarger ? addend : sum
    larger.subtract(otherIsLarger ? sum : addend)
    return new Decimal(otherIsLarger ? other.isNegative : this.isNegative, larger, exponent)
  }

  /** The exact difference, `null` when its digits exceed 256 bits. */
  minus(other: Decimal): Decimal | null {
    return this.plus(new Decimal(!other.isNegative, other.magnitude, other.exponent))
  }

  /** The exact product, `null` when its digits exceed 256 bits. */
  times(other: Decimal): Decimal | null {
    const product = this.magnitude.times(other.magnitude)
    return product === null
      ? null
      : new Decimal(this.isNegative != other.isNegative, product, this.exponent + other.exponent)
  }

  /** The same number times 10^`places`. */
  shifted(places: i64): Decimal {
    return new Decimal(this.isNegative, this.magnitude, this.exponent + places)
  }

  /** The same number without trailing zeros in its fraction. */
  trimmed(): Decimal {
    if (this.isZero()) return Decimal.of(0)
    let magnitude = this.magnitude
    let exponent = this.exponent
    for (; exponent < 0; exponent++) {
      const shorter = magnitude.copy()
      if (shorter.divide(10) != 0) break
      magnitude = shorter
    }
    return new Decimal(this.isNegative, magnitude, exponent)
  }

  /** The number as plain JSON without an exponent or unnecessary zeros: its length grows with its exponent. */
  toString(): string {
    const sign = this.isBelowZero() ? "-" : ""
    return this.exponent > 0
      ? sign + this.magnitude.toString() + (this.isZero() ? "" : "0".repeat(<i32>this.exponent))
      : sign + unitsText(this.magnitude, <i32>-this.exponent)
  }

  /** The magnitude in units of 10^`exponent`, which must not be above the number's own. */
  private alignedTo(exponent: i64): Uint256 | null {
    const magnitude = this.magnitude.copy()
    for (let shift = this.exponent - exponent; shift > 0; shift--) {
      if (!magnitude.multiplyAdd(10, 0)) return null
    }
    return magnitude
  }

  /** The magnitude in units of 10^-`places`, rounded half to even; `null` when that exceeds 256 bits. */
  units(places: i32): Uint256 | null {
    const units = this.magnitude.copy()
    if (units.isZero()) return units
    let shift = this.exponent + places
    for (; shift > 0; shift--) {
      if (!units.multiplyAdd(10, 0)) return null
    }
    // The last digit that was cut off, and whether any digit cut off before it was not zero.
    let digit: u32 = 0
    let rest = false
    for (; shift < 0 && !(units.isZero() && digit == 0); shift++) {
      rest = rest || digit != 0
      digit = units.divide(10)
    }
    if (digit > 5 || (digit == 5 && (rest || units.isOdd()))) units.multiplyAdd(1, 1)
    return units
  }
}

/** Units of 10^-`places` as a plain JSON number, without unnecessary zeros. */
export function unitsText(units: Uint256, places: i32): string {
  const digits = units.toString().padStart(places + 1, "0")
  let end = digits.length
  while (end > digits.length - places && digits.charCodeAt(end - 1) == 0x30) end--
  const whole = digits.substring(0, digits.length - places)
  return end == whole.length ? whole : whole + "." + digits.substring(whole.length, end)
}

/** Parses a number's text from left to right. */
class DecimalReader {
  at: i32 = 0
  readonly magnitude: Uint256 = new Uint256()

  constructor(private readonly text: string) {}

  /** Skips one character if it is the given one. */
  skip(unit: i32): bool {
    if (this.at >= this.text.length || this.text.charCodeAt(this.at) != unit) return false
    this.at++
    return true
  }

  /** Reads one digit or more; false if there is none, or the digits exceed 256 bits. */
  digits(): bool {
    const start = this.at
    for (; this.at < this.text.length; this.at++) {
      const digit = <u32>this.text.charCodeAt(this.at) - 0x30
      if (digit > 9) break
      if (!this.magnitude.multiplyAdd(10, digit)) return false
    }
    return this.at > start
  }

  /** Reads the digits of an exponent, nine at most; -1 if there are none or more. */
  shift(): i64 {
    const start = this.at
    let value: i64 = 0
    for (; this.at < this.text.length; this.at++) {
      const digit = <u32>this.text.charCodeAt(this.at) - 0x30
      if (digit > 9) break
      value = value * 10 + digit
      if (this.at - start == 9) return -1
    }
    return this.at > start ? value : -1
  }
}
