/** The execution's clock. The tally phase has none: asking there ends the program. */
import { clock_time_get } from "./host"

/** Milliseconds since the epoch, as the execution sees time. */
export function nowMs(): i64 {
  const time = heap.alloc(8)
  clock_time_get(0, 1, time)
  return load<u64>(time) / 1_000_000
}
