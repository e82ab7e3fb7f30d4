/** `seda_v1.call_result_write(ptr, len)`: copies the pending bytes of the last call into the program's memory. */
import { bothPhases, i32, type HostFunction } from "../state/hostFunction.ts"
import type { HostState } from "../state/hostState.ts"
import { trap } from "../state/unwind.ts"

const place = "Invalid Memory Access: call_result_write: result_data_ptr"

const inTally = (state: HostState, pointer: number, length: number): void => {
  const target = state.memory.read(pointer, length)
  if (length === 0) trap(`${place} is empty cannot write to it`)
  const pending = state.pending
  state.pending = new Uint8Array()
  if (pending.length !== length >>> 0) trap(`${place} length does not match call_value length`)
  target.set(pending)
}

/** A target outside of memory is ignored here, and the pending bytes stay, as in the reference VM of this phase. */
const inExecution = (state: HostState, pointer: number, length: number): void => {
  if (state.pending.length !== length >>> 0) trap(`${place} length does not match call_value length`)
  if (state.memory.write(pointer, state.pending)) state.pending = new Uint8Array()
}

/** Not charged. The length must be exactly that of the pending bytes. */
export const callResultWrite: HostFunction = {
  family: "seda_v1",
  name: "call_result_write",
  parameters: [i32, i32],
  results: [],
  phases: bothPhases,
  bind: (state) => (pointer: number, length: number) =>
    state.phase === "tally" ? inTally(state, pointer, length) : inExecution(state, pointer, length)
}
