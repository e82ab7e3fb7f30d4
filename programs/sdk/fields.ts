/** Typed access to a JSON object: a missing or mistyped member ends the program with a message that names it. */
import { Decimal } from "./decimal"
import { jsonInputs } from "./inputs"
import { JsonKind, JsonValue } from "./json"
import { jsonInteger } from "./jsonWriter"
import { fail } from "./process"

/** The inputs of the phase as fields; empty inputs count as an empty object. */
export function inputFields(): Fields {
  return new Fields(jsonInputs(), "")
}

/** The members of one JSON object. A `null` counts as present, and has no accepted type. */
export class Fields {
  constructor(private readonly object: JsonValue, private readonly path: string) {}

  /** The name of a member in messages: `weights.gold`. */
  nameOf(name: string): string {
    return this.path + name
  }

  has(name: string): bool {
    return this.object.get(name).exists
  }

  /** A required member of any type. */
  value(name: string): JsonValue {
    const value = this.object.get(name)
    return value.exists ? value : fail<JsonValue>(this.nameOf(name) + " is missing")
  }

  text(name: string): string {
    return this.valueOf(name, JsonKind.String, "a text").text()
  }

  /** A text, or the default if it is absent. */
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

  /** The name of a list's element in messages: `weights[2]`. */
  nameOfElement(name: string, at: i32): string {
    return this.nameOf(name) + "[" + jsonInteger(at) + "]"
  }

  private valueOf(name: string, kind: JsonKind, type: string): JsonValue {
    const value = this.value(name)
    return value.kind == kind ? value : fail<JsonValue>(this.nameOf(name) + " is not " + type)
  }
}
