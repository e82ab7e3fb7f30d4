/** A run whose program failed makes its command fail. */
import { Effect } from "effect"
import type { Configuration } from "../config/configuration.ts"
import { CommandFailed } from "../output/failure.ts"
import type { FinishedRun } from "./runProgram.ts"
import { tallyRefusal } from "./tallyRefusal.ts"

/** Fails with the exit code and why, unless the code is 0. */
export const failedRun = ({ outcome, request }: FinishedRun, { service }: Configuration): Effect.Effect<void, CommandFailed> =>
  Effect.suspend(() => {
    if (outcome.exitCode === 0) return Effect.void
    const why = tallyRefusal(outcome, request.tallyProgram ?? request.program, service.limits ?? {})
    const what = why === undefined ? "the program ended" : "the tally phase was refused"
    const reason = why === undefined ? "" : `: ${why}`
    return new CommandFailed({ message: `${what} with exit code ${outcome.exitCode}${reason}` })
  })
