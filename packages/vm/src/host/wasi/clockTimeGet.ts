/** `clock_time_get(id, precision, out)`: the time of the tape, in nanoseconds. */
import { bothPhases, i32, i64, type HostFunction } from "../state/hostFunction.ts"
import { callPrice } from "../state/hostPrices.ts"
import { tallyStub } from "./tallyStub.ts"
import { wasiFault } from "./wasiFault.ts"

const realtime = 0
const monotonic = 1
/** WASI's `ENOSYS`. */
const notSupported = 52
const nanosecondsPerMs = 1_000_000n

/** Both clocks show the start of the execution or the arrival of its last answer, whichever is later. */
export const clockTimeGet: HostFunction = {
  family: "wasi",
  name: "clock_time_get",
  parameters: [i32, i64, i32],
  results: [i32],
  phases: bothPhases,
  bind: (state) => (id: number, _precision: bigint, out: number) => {
    if (state.phase === "tally") return tallyStub("clock_time_get")
    state.gas.charge(callPrice.wasi)
    if (id !== realtime && id !== monotonic) return notSupported
    return state.memory.writeU64(out, BigInt(state.replay.timeMs) * nanosecondsPerMs) ? 0 : wasiFault(state)
  }
}
