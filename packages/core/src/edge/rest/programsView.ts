/** The named programs of a project, as `GET /programs` answers them. */
import { DateTime, Effect } from "effect"
import type { ProgramsRecord } from "../../contract/records.ts"
import { namesInForce } from "../../domain/programs/programName.ts"
import type { Project } from "../../domain/accounts/project.ts"
import { ProgramNames } from "../../ports/programNames.ts"

/** The names that apply to a project, without those of programs outside its allow-list, sorted by name. */
export const programsRecordOf = ({ allowedPrograms, projectId }: Project): Effect.Effect<typeof ProgramsRecord.Type, never, ProgramNames> =>
  Effect.map(
    Effect.flatMap(ProgramNames, (names) => names.list(projectId)),
    (names) => ({
      data: namesInForce(names)
        .filter(({ programId }) => allowedPrograms === null || allowedPrograms.includes(programId))
        .map(({ name, owner, programId, sinceMs }) => ({
          name,
          programId,
          since: DateTime.formatIso(DateTime.unsafeMake(sinceMs)),
          scope: owner === null ? "service" : "project"
        }))
    })
  )
