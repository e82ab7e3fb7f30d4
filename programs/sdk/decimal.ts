/** Exact decimal numbers: read from text, rounded half to even, printed without a floating-point step. */
import { Uint256 } from "./uint256"

/** The places after the point of every result: prices are handed to readers in units of 10^-8. */
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

  isZero(): bool {
    return this.magnitude.isZero()
  }

  /** The magnitude in units of 10^-`places`, rounded half to even; `null` when that exceeds 256 bits. */
  units(places: i32): Uint256 | null {
    const units = this.magnitude.copy()
    if (units.isZero()) return units
    let shift = this.exponent + places
    for (; shift > 0; shift--) {
      if (!units.multiplyAdd(10, 0)) return null
    }
    // The last digit cut off, and whether anything but zeros was cut off before it.
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

/** Units of 10^-`places` as a plain JSON number, without needless zeros. */
export function unitsText(units: Uint256, places: i32): string {
  const digits = units.toString().padStart(places + 1, "0")
  let end = digits.length
  while (end > digits.length - places && digits.charCodeAt(end - 1) == 0x30) end--
  const whole = digits.substring(0, digits.length - places)
  return end == whole.length ? whole : whole + "." + digits.substring(whole.length, end)
}

/** Reads a number's text from left to right, gathering its digits. */
class DecimalReader {
  at: i32 = 0
  readonly magnitude: Uint256 = new Uint256()

  constructor(private readonly text: string) {}

  /** Steps over one character when it is the given one. */
  skip(unit: i32): bool {
    if (this.at >= this.text.length || this.text.charCodeAt(this.at) != unit) return false
    this.at++
    return true
  }

  /** Reads one digit or more; false when there is none, or the digits exceed 256 bits. */
  digits(): bool {
    const start = this.at
    for (; this.at < this.text.length; this.at++) {
      const digit = <u32>this.text.charCodeAt(this.at) - 0x30
      if (digit > 9) break
      if (!this.magnitude.multiplyAdd(10, digit)) return false
    }
    return this.at > start
  }

  /** Reads the digits of an exponent, nine at most; -1 when there are none or more. */
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
