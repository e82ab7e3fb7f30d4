/** Why a tally phase could not start; the report of a run has only the exit code. */
import { defaultLimits, type Limits } from "@sibyl/core"
import { checkProgram } from "@sibyl/vm"
import type { ProgramOutcome } from "@sibyl/devkit"
import { Either } from "effect"

/** The reason for this module; `undefined` if the tally started or was not needed. */
export const tallyRefusal = ({ tally }: ProgramOutcome, program: Uint8Array, limits: Partial<Limits>): string | undefined =>
  tally === null || tally.exitCode === 0 || tally.gasUsed > 0n
    ? undefined
    : Either.match(checkProgram(program, "tally", { ...defaultLimits, ...limits }), {
        onLeft: ({ message }) => message,
        onRight: () => undefined
      })
