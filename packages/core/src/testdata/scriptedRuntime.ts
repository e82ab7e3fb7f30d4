/** A program runtime that plays a script: real outcomes of imaginary programs, at times that a test chooses. */
import { Effect } from "effect"
import type { Context } from "effect"
import type { Overloaded } from "../contract/errors.ts"
import { tallyBaseOf } from "../domain/protocol/phaseInputs.ts"
import { revealOf, tallyDecisionOf } from "../domain/protocol/tallyDecision.ts"
import type { FollowingTally, PhaseOutcome, PhaseRequest, ProgramRuntime } from "../ports/programRuntime.ts"

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

/** The runtime, and every request that reached it, in order; `inOneOrder` if it runs both phases of a run in one. */
export const scriptedRuntime = (script: Script, inOneOrder = false) => {
  const requests: Array<PhaseRequest> = []
  const run: Script = (request) =>
    Effect.suspend(() => {
      requests.push(request)
      return script(request)
    })
  const runBoth = (asked: PhaseRequest, { blockHeight, program, request }: FollowingTally) =>
    Effect.gen(function* () {
      const exec = yield* run(asked)
      if (exec.exitCode !== 0) return { exec }
      const decision = tallyDecisionOf(tallyBaseOf(request), blockHeight, [revealOf(exec)])
      if ("refusal" in decision) return { exec, tally: decision }
      const { isRecorded = false, limits, projectId } = asked
      const [programId, gasLimit] = [request.tallyProgramId, request.tallyGasLimit]
      const phase = yield* run({
        phase: "tally",
        projectId,
        programId,
        program,
        ...decision.inputs,
        gasLimit,
        limits,
        isRecorded
      })
      return { exec, tally: { consensus: decision.consensus, phase } }
    })
  const runtime: Context.Tag.Service<ProgramRuntime> = inOneOrder ? { run, runBoth } : { run }
  return { requests, runtime }
}
