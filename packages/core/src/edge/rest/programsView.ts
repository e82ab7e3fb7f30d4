/** The named programs of a project, as `GET /programs` answers them. */
import { Effect } from "effect"
import type { ProgramsRecord } from "../../contract/programRecords.ts"
import { isoOf } from "../../domain/encoding/isoText.ts"
import { namesInForce } from "../../domain/programs/programName.ts"
import type { Project } from "../../domain/accounts/project.ts"
import type { TicketGrant } from "../../domain/tickets/ticket.ts"
import { ProgramNames } from "../../ports/programNames.ts"

/** The names that apply to a project, without those of programs outside its allow-list or of a ticket, sorted by name. */
export const programsRecordOf = ({
  allowedPrograms,
  projectId,
  ticket
}: Project & { readonly ticket?: TicketGrant }): Effect.Effect<typeof ProgramsRecord.Type, never, ProgramNames> =>
  Effect.map(
    Effect.flatMap(ProgramNames, (names) => names.list(projectId)),
    (names) => ({
      data: namesInForce(names)
        .filter(({ programId }) => [allowedPrograms, ticket?.programs ?? null].every((list) => list === null || list.includes(programId)))
        .map(({ name, owner, programId, sinceMs }) => ({
          name,
          programId,
          since: isoOf(sinceMs),
          scope: owner === null ? "service" : "project"
        }))
    })
  )
