/** `args_get`: the arguments. */
import { bothPhases, i32, type HostFunction } from "../state/hostFunction.ts"
import { callPrice, priceOfBytes } from "../state/hostPrices.ts"
import { writeTexts } from "./stringList.ts"

/** Charged by the length of all arguments, however much is read. */
export const argsGet: HostFunction = {
  family: "wasi",
  name: "args_get",
  parameters: [i32, i32],
  results: [i32],
  phases: bothPhases,
  bind: (state) => (pointersAt: number, bufferAt: number) => {
    state.gas.charge(priceOfBytes(callPrice.wasi, state.environment.chargedArgsLength))
    return writeTexts(state, state.environment.argv, pointersAt, bufferAt)
  }
}
