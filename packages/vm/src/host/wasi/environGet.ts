/** `environ_get`: the environment variables. */
import { bothPhases, i32, type HostFunction } from "../state/hostFunction.ts"
import { callPrice, priceOfBytes } from "../state/hostPrices.ts"
import { writeTexts } from "./stringList.ts"

/** Charged by the length of all environment variables, however much is read. */
export const environGet: HostFunction = {
  family: "wasi",
  name: "environ_get",
  parameters: [i32, i32],
  results: [i32],
  phases: bothPhases,
  bind: (state) => (pointersAt: number, bufferAt: number) => {
    state.gas.charge(priceOfBytes(callPrice.wasi, state.environment.chargedEnvironLength))
    return writeTexts(state, state.environment.environ, pointersAt, bufferAt)
  }
}
