/** Runs a program in this thread with default settings, for tests of single aspects. */
import { defaultLimits, type Phase } from "@sibyl/core"
import type { Ending } from "../pass/ending.ts"
import { pass, type PassInput } from "../pass/pass.ts"
import { prepareProgram, type Preparation } from "../pass/prepare.ts"
import { runToEnd } from "./runToEnd.ts"
import { emptyTape } from "./vectors.ts"

/** Enough gas for any program of the tests. */
export const ampleGas = 300_000_000_000_000n

/** The input of a pass with an empty tape; tally reads its limit from the environment. */
export const inputOf = (phase: Phase, over: Partial<PassInput> = {}): PassInput => {
  const gasLimit = over.gasLimit ?? ampleGas
  return {
    phase,
    args: [],
    envs:
      phase === "tally"
        ? [
            ["VM_MODE", "tally"],
            ["DR_TALLY_GAS_LIMIT", String(gasLimit)]
          ]
        : [["VM_MODE", "dr"]],
    gasLimit,
    limits: defaultLimits,
    tape: emptyTape,
    ...over
  }
}

const prepared: Readonly<Record<Phase, WeakMap<Uint8Array, Preparation>>> = {
  exec: new WeakMap(),
  tally: new WeakMap()
}

/** Prepares each program once, because compiling dominates the time of these tests. */
const preparationOf = (program: Uint8Array, phase: Phase): Preparation => {
  const known = prepared[phase].get(program)
  if (known !== undefined) return known
  const preparation = prepareProgram(program, phase, defaultLimits.memoryPages)
  prepared[phase].set(program, preparation)
  return preparation
}

/** The ending of a program that makes no requests. */
export const endingOf = (program: Uint8Array, phase: Phase, over: Partial<PassInput> = {}): Ending =>
  runToEnd(preparationOf(program, phase), inputOf(phase, over), (call) => {
    throw new Error(`unexpected ${call.kind}`)
  }).ending

/** The result of a single pass. */
export const passOf = (program: Uint8Array, phase: Phase, over: Partial<PassInput> = {}): ReturnType<typeof pass> =>
  pass(preparationOf(program, phase), inputOf(phase, over))
