/** `random_get(ptr, len)`: random bytes derived from the tape's seed. */
import { bothPhases, i32, type HostFunction } from "../state/hostFunction.ts"
import { callPrice, checkedLength, priceOfBytes } from "../state/hostPrices.ts"
import { tallyStub } from "./tallyStub.ts"

/** Never stops a pass: a replay gives the same bytes. */
export const randomGet: HostFunction = {
  family: "wasi",
  name: "random_get",
  parameters: [i32, i32],
  results: [i32],
  phases: bothPhases,
  bind: (state) => (pointer: number, length: number) => {
    if (state.phase === "tally") return tallyStub("random_get")
    state.gas.charge(priceOfBytes(callPrice.wasi, checkedLength(state.phase, length)))
    const target = state.memory.read(pointer, length)
    target.set(state.random(target.length))
    return 0
  }
}
