/** The programs that runs find: by name and by id, remembered for as long as they may be. */
import { Effect, Option } from "effect"
import { type OutsideTicket, type ProgramNotAllowed, ProgramNotFound } from "../../contract/errors.ts"
import type { Project } from "../../domain/accounts/project.ts"
import { RecentMap } from "../../domain/encoding/recentMap.ts"
import { Freshness } from "../../ports/freshness.ts"
import { ProgramNames } from "../../ports/programNames.ts"
import { ProgramStore } from "../../ports/programStore.ts"
import { SettingsMemory } from "../settings/settingsMemory.ts"
import { checkAllowed } from "./allowList.ts"
import { type AskedKey, type NamesOfPrograms, resolveProgram, resolvePrograms } from "./programReferences.ts"

/** Program names whose meaning is remembered. */
const namesKept = 1_024

/** Programs are remembered up to twice this size together, the most recent ones. */
const programBytesKept = 16 * 2 ** 20

/** A program that a project may run. */
export interface DeployedProgram {
  readonly programId: string
  readonly bytes: Uint8Array
}

/** Why a project may not run a program. */
export type ProgramRefused = OutsideTicket | ProgramNotAllowed | ProgramNotFound

/** What a server knows of programs. */
export interface DeployedPrograms {
  readonly names: NamesOfPrograms
  /** A program's bytes by its id, if they are at hand. */
  readonly atHand: (programId: string) => Uint8Array | undefined
  /** The same, from the store if need be. */
  readonly find: (programId: string) => Effect.Effect<Uint8Array, ProgramNotFound>
  /** Checks that the project may run these programs and that they are deployed. */
  readonly check: (project: Project, key: AskedKey) => Effect.Effect<void, ProgramRefused>
  /** The program that this id or name means for the project, under the same rule. */
  readonly meant: (project: Project, reference: string) => Effect.Effect<DeployedProgram, ProgramRefused>
}

/** Over the stores of programs and of their names. */
export const makeDeployedPrograms: Effect.Effect<DeployedPrograms, never, Freshness | ProgramNames | ProgramStore> = Effect.gen(
  function* () {
    const storedNames = yield* ProgramNames
    const programs = yield* ProgramStore
    const knownNames = new SettingsMemory<Option.Option<string>>(yield* Freshness, new RecentMap(namesKept))
    const names: NamesOfPrograms = {
      find: (projectId, name) => knownNames.around(`${projectId}/${name}`, () => storedNames.find(projectId, name))
    }

    // By the hash of their bytes, and no store forgets one: nothing can change about them.
    const knownPrograms = new RecentMap<Uint8Array>(programBytesKept, ({ length }) => length)
    const find = (programId: string): Effect.Effect<Uint8Array, ProgramNotFound> =>
      Effect.suspend(() => {
        const known = knownPrograms.get(programId)
        if (known !== undefined) return Effect.succeed(known)
        return Effect.flatMap(programs.get(programId), (found) => {
          if (Option.isNone(found)) {
            return Effect.fail(new ProgramNotFound({ message: `no program is deployed under ${programId}`, details: { programId } }))
          }
          knownPrograms.set(programId, found.value)
          return Effect.succeed(found.value)
        })
      })

    const check = Effect.fnUntraced(function* (project: Project, asked: AskedKey) {
      const key = yield* resolvePrograms(names, project, asked)
      yield* checkAllowed(project, key)
      yield* find(key.execProgramId)
      yield* find(key.tallyProgramId)
    })

    const meant = Effect.fnUntraced(function* (project: Project, reference: string) {
      const programId = yield* resolveProgram(names, project, reference)
      yield* checkAllowed(project, { execProgramId: programId, tallyProgramId: programId })
      return { programId, bytes: yield* find(programId) }
    })

    return { atHand: (programId) => knownPrograms.get(programId), check, find, meant, names }
  }
)
