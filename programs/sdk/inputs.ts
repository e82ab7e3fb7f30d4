/** The request of a program: its arguments, and the inputs of the execution phase. */
import { fromHex } from "./hex"
import { HostStrings } from "./hostStrings"
import { JsonKind, JsonValue, parseJson } from "./json"
import { jsonInteger } from "./jsonWriter"
import { fail } from "./process"

let table: HostStrings | null = null

function strings(): HostStrings {
  let known = table
  if (known === null) table = known = HostStrings.arguments()
  return known
}

/** The number of arguments, including the program's name. */
export function argumentCount(): u32 {
  return strings().count
}

/** The bytes of argument `at` (0 is the program's name); a missing argument ends the program. */
export function argument(at: u32): Uint8Array {
  const all = strings()
  if (at >= all.count) return fail<Uint8Array>("argument " + jsonInteger(at) + " is missing")
  const bytes = new Uint8Array(all.length(at))
  memory.copy(bytes.dataStart, all.start(at), bytes.length)
  return bytes
}

/** The inputs of the phase: argument 1, which the host writes in hex. */
export function inputs(): Uint8Array {
  const text = argument(1)
  const bytes = fromHex(text.dataStart, text.length)
  return bytes === null ? fail<Uint8Array>("the inputs are not hex") : bytes
}

/** The inputs as a JSON object; empty inputs count as an empty object. */
export function jsonInputs(): JsonValue {
  const bytes = inputs()
  const value = parseJson(bytes.length == 0 ? Uint8Array.wrap(String.UTF8.encode("{}")) : bytes)
  return value.kind == JsonKind.Object ? value : fail<JsonValue>("the inputs are not a JSON object")
}
