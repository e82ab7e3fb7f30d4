/** Program names in memory: the full history is kept, the last change of a name applies. */
import { Clock, type Context, Effect, Option } from "effect"
import {
  byNameAndOwner,
  checkedProgramName,
  type NameChange,
  type NamedProgram,
  type NameOwner
} from "../../domain/programs/programName.ts"
import { ProjectNotFound } from "../accountErrors.ts"
import type { ProgramNames } from "../programNames.ts"
import type { MemoryState } from "./memoryState.ts"

const keyOf = (owner: NameOwner, name: string): string => `${owner ?? ""} ${name}`

const historyOf = (state: MemoryState, owner: NameOwner, name: string): Array<NameChange> =>
  state.programNames.get(keyOf(owner, name)) ?? []

const meaning = (change: NameChange | undefined): NamedProgram | undefined =>
  change === undefined || change.programId === null ? undefined : { ...change, programId: change.programId }

const current = (state: MemoryState, owner: NameOwner, name: string): NamedProgram | undefined =>
  meaning(historyOf(state, owner, name).at(-1))

const append = (state: MemoryState, change: NameChange): void => {
  const { name, owner } = change
  state.programNames.set(keyOf(owner, name), [...historyOf(state, owner, name), change])
}

/** The names over a state. */
export const memoryProgramNames = (state: MemoryState): Context.Tag.Service<ProgramNames> => ({
  find: (projectId, name) =>
    Effect.sync(() => Option.fromNullable((current(state, projectId, name) ?? current(state, null, name))?.programId)),
  give: (input) =>
    Effect.gen(function* () {
      const sinceMs = yield* Clock.currentTimeMillis
      const { name, owner, programId } = yield* checkedProgramName(input)
      if (owner !== null && !state.projects.has(owner)) return yield* new ProjectNotFound({ projectId: owner })
      const before = current(state, owner, name)
      if (before?.programId === programId) return before
      const named: NamedProgram = { name, owner, programId, sinceMs }
      append(state, named)
      return named
    }),
  take: (owner, name) =>
    Effect.map(Clock.currentTimeMillis, (sinceMs) => {
      if (current(state, owner, name) === undefined) return false
      append(state, { name, owner, programId: null, sinceMs })
      return true
    }),
  list: (projectId) =>
    Effect.sync(() =>
      [...state.programNames.values()]
        .map((changes) => meaning(changes.at(-1)))
        .filter((named) => named !== undefined)
        .filter(({ owner }) => projectId === undefined || owner === null || owner === projectId)
        .sort(byNameAndOwner)
    ),
  history: (name) =>
    Effect.sync(() =>
      [...state.programNames.values()]
        .flat()
        .filter((change) => name === undefined || change.name === name)
        .sort(byNameAndOwner)
    )
})
