/** The gas limit of a phase: that of the caller, in tally also that of the environment. */
import type { Phase } from "@sibyl/core"
import { withoutOutput, type Ending } from "./ending.ts"

/** The environment variable with the tally phase's limit. */
const limitVariable = "DR_TALLY_GAS_LIMIT"

const mostU64 = 2n ** 64n - 1n

const refused = (exitCode: number, exitMessage: string): Ending => withoutOutput(exitCode, exitMessage, 0n, 0n, [])

const tallyLimit = (text: string | undefined): bigint | Ending => {
  if (text === undefined) {
    return refused(251, `VM Error: Runtime error: Node Error: ${limitVariable} is required to be set as an env variable`)
  }
  if (text === "") return refused(252, "VM Error: ParseInt error: cannot parse integer from empty string")
  if (!/^\+?[0-9]+$/.test(text)) return refused(252, "VM Error: ParseInt error: invalid digit found in string")
  const limit = BigInt(text.replace("+", ""))
  return limit > mostU64 ? refused(252, "VM Error: ParseInt error: number too large to fit in target type") : limit
}

/** The limit in gas, at most `allowed`; or the ending of a tally whose environment has none. */
export const phaseGasLimit = (
  phase: Phase,
  envs: ReadonlyArray<readonly [key: string, value: string]>,
  allowed: bigint
): bigint | Ending => {
  const named = phase === "tally" ? tallyLimit(envs.findLast(([key]) => key === limitVariable)?.[1]) : allowed
  return typeof named === "bigint" && named > allowed ? allowed : named
}
