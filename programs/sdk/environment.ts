/** The environment of a run: the host's information about the request and the phase. */
import { HostStrings } from "./hostStrings"
import { argumentCount } from "./inputs"

let table: HostStrings | null = null

/** The value of a variable, `null` if it is not set. */
export function env(name: string): string | null {
  let strings = table
  if (strings === null) table = strings = HostStrings.environment()
  const prefix = String.UTF8.encode(name + "=")
  const size = prefix.byteLength
  for (let at: u32 = 0; at < strings.count; at++) {
    const length = <i32>strings.length(at)
    if (length < size || memory.compare(strings.start(at), changetype<usize>(prefix), size) != 0) continue
    return String.UTF8.decodeUnsafe(strings.start(at) + size, length - size)
  }
  return null
}

/**
 * Whether this is the tally phase; otherwise it is the execution phase. An execution is given its inputs alone, a tally
 * also the reveals and the consensus: counting arguments, which are read anyway, costs nothing, while asking the
 * environment (`VM_MODE`, which says the same) would cost 2 T gas.
 */
export function isTally(): bool {
  return argumentCount() > 3
}
