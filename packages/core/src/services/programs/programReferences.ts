/** Resolves the programs of a request to their ids: names are looked up before anything is hashed, held or stored. */
import { type Context, Effect } from "effect"
import { ProgramNotFound } from "../../contract/errors.ts"
import { isProgramName } from "../../contract/programName.ts"
import { memoized } from "../../domain/encoding/memoized.ts"
import type { LastResultKey } from "../../domain/protocol/dataRequest.ts"
import type { Project } from "../../domain/accounts/project.ts"
import type { ProgramNames } from "../../ports/programNames.ts"

/** Finds programs by their names. */
export type NamesOfPrograms = Pick<Context.Tag.Service<ProgramNames>, "find">

/** The four values that identify a request, with programs by id or by name. */
export type AskedKey = LastResultKey

/** A feed asks with the same key for every run. As long as its names mean the same programs, the result is the same object. */
const keyWith = memoized(
  (asked: AskedKey, execProgramId: string, tallyProgramId: string): LastResultKey => ({ ...asked, execProgramId, tallyProgramId }),
  (key, execProgramId, tallyProgramId) => key.execProgramId === execProgramId && key.tallyProgramId === tallyProgramId
)

/** The id of a program reference for a project. */
export const resolveProgram = (names: NamesOfPrograms, { projectId }: Project, reference: string): Effect.Effect<string, ProgramNotFound> =>
  isProgramName(reference)
    ? Effect.flatMap(names.find(projectId, reference), (found) =>
        Effect.mapError(found, () => new ProgramNotFound({ message: `no program has the name ${reference}`, details: { name: reference } }))
      )
    : Effect.succeed(reference)

/** Whether a program of the key is named, so that its id has to be found. */
export const hasNames = ({ execProgramId, tallyProgramId }: AskedKey): boolean =>
  isProgramName(execProgramId) || (tallyProgramId !== execProgramId && isProgramName(tallyProgramId))

/** The key with names replaced by ids. */
export const resolvePrograms = (
  names: NamesOfPrograms,
  project: Project,
  asked: AskedKey
): Effect.Effect<LastResultKey, ProgramNotFound> => {
  const { execProgramId: exec, tallyProgramId: tally } = asked
  if (!hasNames(asked)) return Effect.succeed(asked)
  return Effect.gen(function* () {
    const execProgramId = yield* resolveProgram(names, project, exec)
    const tallyProgramId = tally === exec ? execProgramId : yield* resolveProgram(names, project, tally)
    return keyWith(asked, execProgramId, tallyProgramId)
  })
}
