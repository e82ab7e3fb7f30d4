/** Writes one JSON object, member by member, in the given order. */
import { Decimal } from "./decimal"
import { jsonInteger, jsonString } from "./jsonWriter"

/** A JSON object under construction. Names and texts are escaped; numbers keep every digit. */
export class JsonObject {
  private members: string = ""

  /** A member whose value is JSON already. */
  json(name: string, value: string): this {
    this.members += (this.members.length == 0 ? "" : ",") + jsonString(name) + ":" + value
    return this
  }

  text(name: string, value: string): this {
    return this.json(name, jsonString(value))
  }

  integer(name: string, value: i64): this {
    return this.json(name, jsonInteger(value))
  }

  decimal(name: string, value: Decimal): this {
    return this.json(name, value.toString())
  }

  flag(name: string, value: bool): this {
    return this.json(name, value ? "true" : "false")
  }

  texts(name: string, values: Array<string>): this {
    let list = ""
    for (let at = 0; at < values.length; at++) list += (at == 0 ? "" : ",") + jsonString(values[at])
    return this.json(name, "[" + list + "]")
  }

  object(name: string, value: JsonObject): this {
    return this.json(name, value.toString())
  }

  toString(): string {
    return "{" + this.members + "}"
  }
}
