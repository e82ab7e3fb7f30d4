/** Cached verdicts on whether a phase could start a program. */
import type { PhaseRequest } from "@sibyl/core"
import { Either } from "effect"
import { checkProgram } from "./checkProgram.ts"

/** A program and its phase. */
export type ValidationRequest = Pick<PhaseRequest, "phase" | "programId" | "program" | "limits">

/** Caches up to `kept` verdicts. Returns why the phase could not start the program, `undefined` if it could. */
export const makeProgramValidation = (kept: number): ((request: ValidationRequest) => string | undefined) => {
  const verdicts = new Map<string, string | null>()
  return ({ limits, phase, program, programId }) => {
    const name = `${phase} ${programId} ${limits.programBytes} ${limits.memoryPages}`
    const known = verdicts.get(name)
    if (known !== undefined) return known ?? undefined
    const verdict = checkProgram(program, phase, limits)
    const why = Either.isLeft(verdict) ? verdict.left.message : null
    verdicts.set(name, why)
    // The oldest verdict is dropped: the program then costs one more check.
    for (const oldest of verdicts.keys()) if (verdicts.size > kept) verdicts.delete(oldest)
    return why ?? undefined
  }
}
