/** Requests of both phases for hostile programs, and how a run ended. */
import { defaultLimits, type Limits, type Phase, type PhaseOutcome, type PhaseRequest } from "@sibyl/core"
import type { BombEnd } from "@sibyl/testing/hostile"
import { requestFor } from "../../testdata/runtimeOverHttp.ts"

/** A deadline that is short, so that tests are. */
export const shortLimits: Limits = { ...defaultLimits, execWallClockMs: 400, tallyWallClockMs: 400, queueWaitMs: 120_000 }

/** A deadline that a busy machine keeps, too. */
export const patientLimits: Limits = { ...shortLimits, execWallClockMs: 30_000, tallyWallClockMs: 30_000 }

const tallyGas = 50_000_000_000_000n

/** Both phases. */
export const phases = ["exec", "tally"] as const

/** A request of a phase with the gas of a new project. */
export const requestOf = (program: Uint8Array, phase: Phase, over: Partial<PhaseRequest> = {}): PhaseRequest => ({
  ...requestFor(program, { limits: shortLimits }),
  ...(phase === "exec"
    ? {}
    : {
        phase,
        gasLimit: tallyGas,
        envs: [
          ["VM_MODE", "tally"],
          ["DR_TALLY_GAS_LIMIT", String(tallyGas)]
        ]
      }),
  ...over
})

/** Who ended the run: the machine (with a reason), the program, or nobody, as it never began. */
export const endOf = ({ exitMessage, reason }: PhaseOutcome): BombEnd => {
  if (exitMessage === "Ok" || reason === undefined) return "itself"
  return exitMessage === "Not ok" || exitMessage.startsWith("Result larger") ? "stopped" : "refused"
}
