/** `seda_v1.keccak256(ptr, len) -> 32`: Keccak-256 of the bytes becomes pending. */
import { keccak256 as hash } from "@sibyl/core/internal"
import { bothPhases, i32, type HostFunction } from "../state/hostFunction.ts"
import { callPrice, checkedLength, priceOfBytes } from "../state/hostPrices.ts"

/** With Keccak's original padding, not that of SHA-3. */
export const keccak256: HostFunction = {
  family: "seda_v1",
  name: "keccak256",
  parameters: [i32, i32],
  results: [i32],
  phases: bothPhases,
  bind: (state) => (pointer: number, length: number) => {
    state.gas.charge(priceOfBytes(callPrice.keccak256, checkedLength(state.phase, length)))
    state.pending = hash(state.memory.read(pointer, length))
    return state.pending.length
  }
}
