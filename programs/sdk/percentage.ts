/** Percentages in inputs: exact numbers from 0 to 100. */
import { Decimal } from "./decimal"
import { JsonKind, JsonValue } from "./json"
import { jsonInteger } from "./jsonWriter"
import { fail } from "./process"

/** The maximum decimal places of a percentage, so that products with prices fit 256 bits. */
export const maxPercentagePlaces: i32 = 36

/** A percentage exactly as written; `name` is its name in the message if it is invalid. */
export function percentage(value: JsonValue, name: string): Decimal {
  const parsed: Decimal | null = value.kind == JsonKind.Number ? Decimal.parse(value.text()) : null
  if (parsed !== null && !parsed.isBelowZero()) {
    const number = parsed.trimmed()
    const rest = Decimal.of(100).minus(number)
    if (rest !== null && !rest.isBelowZero() && number.exponent >= -maxPercentagePlaces) return number
  }
  return fail<Decimal>(
    name + " is not a number from 0 to 100 with at most " + jsonInteger(maxPercentagePlaces) + " decimal places"
  )
}
