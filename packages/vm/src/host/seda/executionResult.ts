/** `seda_v1.execution_result(ptr, len)`: sets the program's result. */
import { bothPhases, i32, type HostFunction } from "../state/hostFunction.ts"
import { gasPerResultByte, signedLength } from "../state/hostPrices.ts"

/** Charged per byte; the last successful call counts. */
export const executionResult: HostFunction = {
  family: "seda_v1",
  name: "execution_result",
  parameters: [i32, i32],
  results: [],
  phases: bothPhases,
  bind: (state) => (pointer: number, length: number) => {
    state.gas.charge(gasPerResultByte * BigInt(signedLength(length)))
    state.result = state.memory.read(pointer, length).slice()
  }
}
