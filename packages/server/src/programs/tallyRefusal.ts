/** Why a tally phase could not start; the report of a run has only the exit code. */
import { defaultLimits, type Limits } from "@sibyl/core"
import { checkProgram } from "@sibyl/vm"
import type { ProgramOutcome } from "@sibyl/devkit"
import { Effect, Either } from "effect"
import { readBytes } from "./programFiles.ts"

/** The reason for the module in a file; `undefined` if the tally started or was not needed. */
export const tallyRefusal = ({ tally }: ProgramOutcome, path: string, limits: Partial<Limits>) =>
  tally === null || tally.exitCode === 0 || tally.gasUsed > 0n
    ? Effect.succeed(undefined)
    : Effect.map(readBytes(path), (program) =>
        Either.match(checkProgram(program, "tally", { ...defaultLimits, ...limits }), {
          onLeft: ({ message }) => message,
          onRight: () => undefined
        })
      )
