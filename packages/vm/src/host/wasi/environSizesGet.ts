/** `environ_sizes_get`: how many environment variables there are, and their bytes. */
import { bothPhases, i32, type HostFunction } from "../state/hostFunction.ts"
import { callPrice, priceOfBytes } from "../state/hostPrices.ts"
import { writeSizes } from "./stringList.ts"

/** Charged by the length of all environment variables, whatever part is asked for. */
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
