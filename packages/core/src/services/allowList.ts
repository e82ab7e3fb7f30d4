/** The programs that a project may run: its allow-list, checked before anything else, also for stored results. */
import { Effect } from "effect"
import { ProgramNotAllowed } from "../contract/errors.ts"
import type { LastResultKey } from "../domain/protocol/dataRequest.ts"
import type { Project } from "../domain/accounts/project.ts"

/** Fails if one of the two programs is not on the project's allow-list; without a list every program is allowed. */
export const checkAllowed = ({ allowedPrograms }: Project, key: LastResultKey): Effect.Effect<void, ProgramNotAllowed> => {
  const refused =
    allowedPrograms === null ? undefined : [key.execProgramId, key.tallyProgramId].find((programId) => !allowedPrograms.includes(programId))
  return refused === undefined
    ? Effect.void
    : Effect.fail(
        new ProgramNotAllowed({
          message: `the program ${refused} is not on the project's allow-list`,
          details: { programId: refused }
        })
      )
}
