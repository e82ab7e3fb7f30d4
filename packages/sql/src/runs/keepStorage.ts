/** Stores what programs keep between runs, in the transaction that charges the run. */
import type { StorageWrite } from "@sibyl/core"
import { insertRows, type RowShape } from "../database/manyRows.ts"
import type { Plan } from "../database/plan.ts"
import { among, type Dialect, query } from "../database/query.ts"

/** A write with its project and program. */
export interface OwnedWrite extends StorageWrite {
  readonly projectId: string
  readonly programId: string
}

const storageRows: RowShape = {
  table: "program_storage",
  columns: ["project_id", "program_id", "storage_key", "storage_value"],
  onConflict: "ON CONFLICT (project_id, program_id, storage_key) DO UPDATE SET storage_value = excluded.storage_value"
}

/** The last write of each key: a statement must not change a row twice. */
const lastWrites = (writes: ReadonlyArray<OwnedWrite>): ReadonlyArray<OwnedWrite> => [
  ...new Map(writes.map((write) => [`${write.projectId}/${write.programId}/${write.key}`, write])).values()
]

/** Keys per statement: the longest list whose text is prepared once. */
export const keysAtOnce = 256

function* removeKeys(deletions: ReadonlyArray<OwnedWrite>): Plan<void> {
  const byProgram = new Map<string, Array<OwnedWrite>>()
  for (const deletion of deletions) {
    const owner = `${deletion.projectId}/${deletion.programId}`
    byProgram.set(owner, [...(byProgram.get(owner) ?? []), deletion])
  }
  for (const ofOne of byProgram.values()) {
    for (let from = 0; from < ofOne.length; from += keysAtOnce) {
      const [first, ...more] = ofOne.slice(from, from + keysAtOnce)
      if (first === undefined) continue
      yield [
        query`
        DELETE FROM program_storage
        WHERE project_id = ${first.projectId} AND program_id = ${first.programId}
          AND ${among(
            "storage_key",
            [first, ...more].map(({ key }) => key)
          )}`
      ]
    }
  }
}

/** Stores the writes, in order, in the caller's transaction. */
export function* keepStorage(dialect: Dialect, writes: ReadonlyArray<OwnedWrite>): Plan<void> {
  if (writes.length === 0) return
  const last = lastWrites(writes)
  const rows = last.flatMap(({ key, programId, projectId, value }) => (value === null ? [] : [[projectId, programId, key, value]]))
  yield* insertRows(dialect, storageRows, rows)
  yield* removeKeys(last.filter(({ value }) => value === null))
}
