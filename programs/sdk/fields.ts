/** Typed reading of a JSON object: what is missing or of another type ends the program with a line that names it. */
import { Decimal } from "./decimal"
import { jsonInputs } from "./inputs"
import { JsonKind, JsonValue } from "./json"
import { jsonInteger } from "./jsonWriter"
import { fail } from "./process"

/** The inputs of the phase as fields; no inputs at all are an empty object. */
export function inputFields(): Fields {
  return new Fields(jsonInputs(), "")
}

/** The members of one JSON object. A `null` counts as given, and fits no type. */
export class Fields {
  constructor(private readonly object: JsonValue, private readonly path: string) {}

  /** The name of a member as messages show it: `weights.gold`. */
  nameOf(name: string): string {
    return this.path + name
  }

  has(name: string): bool {
    return this.object.get(name).exists
  }

  /** A member of any type that must be there. */
  value(name: string): JsonValue {
    const value = this.object.get(name)
    return value.exists ? value : fail<JsonValue>(this.nameOf(name) + " is missing")
  }

  text(name: string): string {
    return this.valueOf(name, JsonKind.String, "a text").text()
  }

  /** A text, or another one where there is none. */
  textOr(name: string, absent: string): string {
    return this.has(name) ? this.text(name) : absent
  }

  /** An integer without point and exponent, 18 digits at most. */
  integer(name: string): i64 {
    const value = this.value(name)
    return value.isInteger() ? value.integer() : fail<i64>(this.nameOf(name) + " is not an integer")
  }

  integerOr(name: string, absent: i64): i64 {
    return this.has(name) ? this.integer(name) : absent
  }

  /** A number, exactly as it is written. */
  decimal(name: string): Decimal {
    const value = Decimal.parse(this.valueOf(name, JsonKind.Number, "a number").text())
    return value === null ? fail<Decimal>(this.nameOf(name) + " has too many digits") : value
  }

  flag(name: string): bool {
    const value = this.value(name)
    if (value.kind != JsonKind.True && value.kind != JsonKind.False) fail<void>(this.nameOf(name) + " is not a boolean")
    return value.kind == JsonKind.True
  }

  flagOr(name: string, absent: bool): bool {
    return this.has(name) ? this.flag(name) : absent
  }

  list(name: string): Array<JsonValue> {
    return this.valueOf(name, JsonKind.Array, "a list").elements()
  }

  fields(name: string): Fields {
    return new Fields(this.valueOf(name, JsonKind.Object, "an object"), this.nameOf(name) + ".")
  }

  /** The name of an element of a list as messages show it: `weights[2]`. */
  nameOfElement(name: string, at: i32): string {
    return this.nameOf(name) + "[" + jsonInteger(at) + "]"
  }

  private valueOf(name: string, kind: JsonKind, type: string): JsonValue {
    const value = this.value(name)
    return value.kind == kind ? value : fail<JsonValue>(this.nameOf(name) + " is not " + type)
  }
}
