/** `proc_exit(code)`: ends the program. */
import { bothPhases, i32, type HostFunction } from "../state/hostFunction.ts"
import { Unwind } from "../state/unwind.ts"

/** Not charged; the code is signed and not changed. */
export const procExit: HostFunction = {
  family: "wasi",
  name: "proc_exit",
  parameters: [i32],
  results: [],
  phases: bothPhases,
  bind: () => (code: number) => {
    throw new Unwind({ kind: "exit", code })
  }
}
