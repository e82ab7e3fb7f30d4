/** Exact numbers for models: fractions of BigInts, rounded half to even, printed without floating point. */

/** `numerator / denominator`; the denominator is positive. */
export interface Fraction {
  readonly numerator: bigint
  readonly denominator: bigint
}

/** A number as decimal text without an exponent (`-12.50`). */
export const fractionOf = (text: string): Fraction => {
  const [whole = "", places = ""] = text.split(".")
  return { numerator: BigInt(whole + places), denominator: 10n ** BigInt(places.length) }
}

/** `mantissa` · 10^`exponent`. */
export const scaled = (mantissa: bigint, exponent: number): Fraction =>
  exponent < 0
    ? { numerator: mantissa, denominator: 10n ** BigInt(-exponent) }
    : { numerator: mantissa * 10n ** BigInt(exponent), denominator: 1n }

/** The sum. */
export const plus = (a: Fraction, b: Fraction): Fraction => ({
  numerator: a.numerator * b.denominator + b.numerator * a.denominator,
  denominator: a.denominator * b.denominator
})

/** The product. */
export const times = (a: Fraction, b: Fraction): Fraction => ({
  numerator: a.numerator * b.numerator,
  denominator: a.denominator * b.denominator
})

/** A fraction in whole units of 10^`exponent`, half to even. Positive numbers only. */
export const roundedTo = (value: Fraction, exponent: number): bigint => {
  const { denominator, numerator } = times(value, scaled(1n, -exponent))
  const twice = numerator * 2n
  const nearest = (twice + denominator) / (denominator * 2n)
  const isTie = (twice + denominator) % (denominator * 2n) === 0n
  return isTie && nearest % 2n === 1n ? nearest - 1n : nearest
}

/** `units` · 10^`exponent` as a plain JSON number. */
export const printed = (units: bigint, exponent: number): string => {
  if (exponent >= 0) return (units * 10n ** BigInt(exponent)).toString()
  const digits = units.toString().padStart(1 - exponent, "0")
  const whole = digits.slice(0, exponent)
  return `${whole}.${digits.slice(exponent)}`.replace(/\.?0+$/, "")
}
