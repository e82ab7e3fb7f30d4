/** Which numbers of JSON a reader that has doubles alone does not change. */

/** The integer that a double is printed as, which may differ from its value: only the digits needed to tell doubles apart are printed. */
const printedInteger = (value: number): bigint => {
  const [mantissa = "", exponent = "0"] = String(value).split("e+")
  const [whole = "", fraction = ""] = mantissa.split(".")
  return BigInt(whole + fraction.padEnd(Number(exponent), "0"))
}

/** Whether a number, as JSON spells it, keeps its value in a round trip: integers must not change, fractions are rounded as JSON parsers do. */
export const survivesDouble = (digits: string): boolean => {
  const value = Number(digits)
  if (!Number.isFinite(value)) return false
  return !/^-?[0-9]+$/.test(digits) || BigInt(digits) === printedInteger(value)
}
