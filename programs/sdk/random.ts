/** The random bytes of the execution phase. The tally phase has none: reading them there ends the program. */
import { random_get } from "./host"

/** Random bytes, the same ones on every replay of the execution. */
export function randomBytes(count: i32): Uint8Array {
  const bytes = new Uint8Array(count)
  random_get(bytes.dataStart, count)
  return bytes
}
