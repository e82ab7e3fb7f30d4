/** A program runtime that plays a script: real outcomes of imaginary programs, at times that a test chooses. */
import { Effect } from "effect"
import type { Context } from "effect"
import type { Overloaded } from "../contract/errors.ts"
import type { PhaseOutcome, PhaseRequest, ProgramRuntime } from "../ports/programRuntime.ts"

/** What each phase does. */
export type Script = (request: PhaseRequest) => Effect.Effect<PhaseOutcome, Overloaded>

/** An outcome: by default exit code 0, one unit of gas, an empty result; what was used is charged. */
export const outcome = (fields: Partial<PhaseOutcome> = {}): PhaseOutcome => ({
  exitCode: 0,
  exitMessage: "Ok",
  gasUsed: 1n,
  gasCharged: fields.gasUsed ?? 1n,
  result: new Uint8Array(),
  stdout: "",
  stderr: "",
  proxies: [],
  ...fields
})

/** Every phase ends at once and successfully. */
export const allWell: Script = () => Effect.succeed(outcome())

/** The runtime, and every request that reached it, in order. */
export const scriptedRuntime = (script: Script) => {
  const requests: Array<PhaseRequest> = []
  const runtime: Context.Tag.Service<ProgramRuntime> = {
    run: (request) =>
      Effect.suspend(() => {
        requests.push(request)
        return script(request)
      })
  }
  return { requests, runtime }
}
