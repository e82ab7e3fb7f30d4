/** The clock of the execution phase. The tally phase has none: reading it there ends the program. */
import { clock_time_get } from "./host"

/** Milliseconds since the epoch by the execution's clock. */
export function nowMs(): i64 {
  const time = heap.alloc(8)
  clock_time_get(0, 1, time)
  return load<u64>(time) / 1_000_000
}
