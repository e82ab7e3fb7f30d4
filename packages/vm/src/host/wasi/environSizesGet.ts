/** `environ_sizes_get`: the number of environment variables, and their bytes. */
import { bothPhases, i32, type HostFunction } from "../state/hostFunction.ts"
import { callPrice, priceOfBytes } from "../state/hostPrices.ts"
import { writeSizes } from "./stringList.ts"

/** Charged by the length of all environment variables, however much is read. */
export const environSizesGet: HostFunction = {
  family: "wasi",
  name: "environ_sizes_get",
  parameters: [i32, i32],
  results: [i32],
  phases: bothPhases,
  bind: (state) => (countAt: number, sizeAt: number) => {
    state.gas.charge(priceOfBytes(callPrice.wasi, state.environment.chargedEnvironLength))
    return writeSizes(state, state.environment.environ, countAt, sizeAt)
  }
}
