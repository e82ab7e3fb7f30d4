/** The storage of programs between runs. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { ProgramStorage, type StorageWrite } from "@sibyl/core"
import { Array as Arrays, Effect, Layer } from "effect"
import { among, insertRows, type RowShape } from "../database/manyRows.ts"
import { orSqlDefect } from "../database/sqlDefect.ts"

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
const keysAtOnce = 256

const removeKeys = (sql: SqlClient, deletions: ReadonlyArray<OwnedWrite>): Effect.Effect<void, SqlError> => {
  const groups = Object.values(Arrays.groupBy(deletions, ({ programId, projectId }) => `${projectId}/${programId}`)).flatMap((ofOne) =>
    Arrays.chunksOf(ofOne, keysAtOnce)
  )
  return Effect.forEach(
    groups,
    ([first, ...more]) => sql`
      DELETE FROM program_storage
      WHERE project_id = ${first.projectId} AND program_id = ${first.programId}
        AND ${among(
          sql,
          "storage_key",
          [first, ...more].map(({ key }) => key)
        )}`,
    { discard: true }
  )
}

/** Stores the writes, in order, in the caller's transaction. */
export const keepStorage = (sql: SqlClient, writes: ReadonlyArray<OwnedWrite>): Effect.Effect<void, SqlError> => {
  if (writes.length === 0) return Effect.void
  const last = lastWrites(writes)
  const rows = last.flatMap(({ key, programId, projectId, value }) => (value === null ? [] : [[projectId, programId, key, value]]))
  return Effect.zipRight(
    insertRows(sql, storageRows, rows),
    removeKeys(
      sql,
      last.filter(({ value }) => value === null)
    )
  )
}

interface StorageRow {
  readonly storage_key: string
  readonly storage_value: string
}

const valuesOf = (sql: SqlClient, projectId: string, programId: string, keys: ReadonlyArray<string>) =>
  Effect.map(
    Effect.forEach(
      keys.length === 0 ? [] : Arrays.chunksOf(keys, keysAtOnce),
      (part) => sql<StorageRow>`
      SELECT storage_key, storage_value FROM program_storage
      WHERE project_id = ${projectId} AND program_id = ${programId} AND ${among(sql, "storage_key", part)}`
    ),
    (found) => found.flat()
  )

/** The storage. */
export const layerSqlProgramStorage: Layer.Layer<ProgramStorage, never, SqlClient> = Layer.effect(
  ProgramStorage,
  Effect.map(SqlClient, (sql) => ({
    read: (projectId, programId, keys) =>
      Effect.gen(function* () {
        const found = yield* valuesOf(sql, projectId, programId, keys)
        const [counted] = yield* sql<{ readonly count: number | string }>`
          SELECT count(*) AS count FROM program_storage
          WHERE project_id = ${projectId} AND program_id = ${programId}`
        return {
          values: new Map(found.map((row) => [row.storage_key, row.storage_value])),
          keyCount: Number(counted?.count ?? 0)
        }
      }).pipe(orSqlDefect("reading a program's storage"))
  }))
)
