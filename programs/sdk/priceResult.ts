/** The result of a price program: an EVM `uint256` of 10^-8 dollars, or a JSON object of one number. */
import { Decimal, resultPlaces } from "./decimal"
import { Fields } from "./fields"
import { JsonKind, parseJson } from "./json"
import { JsonObject } from "./jsonObject"
import { fail } from "./process"
import { setResultJson, setResultUint256 } from "./result"
import { Reveal } from "./tally"
import { Uint256 } from "./uint256"

/** Whether the inputs' `output_format` requests JSON: `json` does, an absent one does not. */
export function wantsJson(inputs: Fields): bool {
  if (!inputs.has("output_format")) return false
  const format = inputs.value("output_format")
  return format.kind == JsonKind.String && format.text() == "json" ? true : fail<bool>("output_format is not json")
}

/** Sets the result to a positive value, rounded half to even at 10^-8; `name` is its name in JSON and in messages. */
export function setPriceResult(value: Decimal, name: string, isJson: bool): void {
  const units = value.units(resultPlaces)
  if (units === null) return fail<void>("the " + name + " does not fit 256 bits")
  if (units.isZero()) return fail<void>("the " + name + " rounds to zero at 10^-8")
  if (isJson) setResultJson(new JsonObject().decimal(name, new Decimal(false, units, -resultPlaces)))
  else setResultUint256(units)
}

/** A reveal's value in units of 10^-8, in either form; `name` as in {@link setPriceResult}. */
export function revealedUnits(reveal: Reveal, name: string): Uint256 {
  const value = Decimal.parse(parseJson(reveal.bytes).get(name).text())
  const units: Uint256 | null = value === null ? null : value.units(resultPlaces)
  if (units !== null) return units
  return reveal.bytes.length == 32 ? Uint256.fromBytes(reveal.bytes) : fail<Uint256>("a reveal has no " + name)
}
