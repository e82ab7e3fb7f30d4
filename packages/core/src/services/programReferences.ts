/** From the programs that a request names to their ids: names are looked up before anything is hashed, held or stored. */
import { type Context, Effect } from "effect"
import { ProgramNotFound } from "../contract/errors.ts"
import { isProgramName } from "../contract/programName.ts"
import { memoized } from "../domain/encoding/memoized.ts"
import type { LastResultKey } from "../domain/protocol/dataRequest.ts"
import type { Project } from "../domain/accounts/project.ts"
import type { ProgramNames } from "../ports/programNames.ts"

/** The four values of a request whose programs may stand there by id or by name. */
export type AskedKey = LastResultKey

/** A feed asks with the same key at every run: while its names mean the same, what they came to is one object. */
const keyWith = memoized(
  (asked: AskedKey, execProgramId: string, tallyProgramId: string): LastResultKey => ({ ...asked, execProgramId, tallyProgramId }),
  (key, execProgramId, tallyProgramId) => key.execProgramId === execProgramId && key.tallyProgramId === tallyProgramId
)

/** The id that a reference means for a project. */
const idOf = (names: Context.Tag.Service<ProgramNames>, { projectId }: Project, reference: string) =>
  isProgramName(reference)
    ? Effect.flatMap(names.find(projectId, reference), (found) =>
        Effect.mapError(found, () => new ProgramNotFound({ message: `no program has the name ${reference}`, details: { name: reference } }))
      )
    : Effect.succeed(reference)

/** The key with ids in the place of names. */
export const resolvePrograms = (
  names: Context.Tag.Service<ProgramNames>,
  project: Project,
  asked: AskedKey
): Effect.Effect<LastResultKey, ProgramNotFound> => {
  const { execProgramId: exec, tallyProgramId: tally } = asked
  if (!isProgramName(exec) && !isProgramName(tally)) return Effect.succeed(asked)
  return Effect.gen(function* () {
    const execProgramId = yield* idOf(names, project, exec)
    const tallyProgramId = tally === exec ? execProgramId : yield* idOf(names, project, tally)
    return keyWith(asked, execProgramId, tallyProgramId)
  })
}
