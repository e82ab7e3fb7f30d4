/** The storage of programs, in memory. */
import { type Context, Effect } from "effect"
import type { ExecutionReport } from "../../domain/reports/executionReport.ts"
import type { StorageWrite } from "../../domain/programs/programStorage.ts"
import type { ProgramStorage } from "../programStorage.ts"
import type { MemoryState } from "./memoryState.ts"

const nameOf = (projectId: string, programId: string): string => `${projectId}/${programId}`

/** Stores the writes of a run. Called by the ledger, in the same step as the posting. */
export const keepStorage = (state: MemoryState, { dataRequest, projectId }: ExecutionReport, writes: ReadonlyArray<StorageWrite>): void => {
  if (writes.length === 0) return
  const name = nameOf(projectId, dataRequest.execProgramId)
  const kept = state.programStorage.get(name) ?? new Map<string, string>()
  for (const { key, value } of writes) {
    if (value === null) kept.delete(key)
    else kept.set(key, value)
  }
  state.programStorage.set(name, kept)
}

/** The storage over a state. */
export const memoryProgramStorage = (state: MemoryState): Context.Tag.Service<ProgramStorage> => ({
  read: (projectId, programId, keys) =>
    Effect.sync(() => {
      const kept = state.programStorage.get(nameOf(projectId, programId)) ?? new Map<string, string>()
      const values = keys.flatMap((key) => {
        const value = kept.get(key)
        return value === undefined ? [] : [[key, value] as const]
      })
      return { values: new Map(values), keyCount: kept.size }
    })
})
