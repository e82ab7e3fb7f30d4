/** The execution's random bytes. The tally phase has none: asking there ends the program. */
import { random_get } from "./host"

/** Random bytes, the same ones whenever the execution is replayed. */
export function randomBytes(count: i32): Uint8Array {
  const bytes = new Uint8Array(count)
  random_get(bytes.dataStart, count)
  return bytes
}
