/** What programs keep between their runs. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { ProgramStorage, type StorageWrite } from "@sibyl/core"
import { Effect, Layer } from "effect"
import { among, insertRows, type RowShape } from "./manyRows.ts"
import { orSqlDefect } from "./sqlDefect.ts"

/** A write and whose it is. */
export interface OwnedWrite extends StorageWrite {
  readonly projectId: string
  readonly programId: string
}

const storageRows: RowShape = {
  table: "program_storage",
  columns: ["project_id", "program_id", "storage_key", "storage_value"],
  onConflict:
    "ON CONFLICT (project_id, program_id, storage_key) DO UPDATE SET storage_value = excluded.storage_value"
}

/** The last write of each key: no statement may change a row twice. */
const lastWrites = (writes: ReadonlyArray<OwnedWrite>): ReadonlyArray<OwnedWrite> => [
  ...new Map(writes.map((write) => [`${write.projectId}/${write.programId}/${write.key}`, write])).values()
]

/** Keeps the writes, in their order, in the caller's transaction. */
export const keepStorage = (sql: SqlClient, writes: ReadonlyArray<OwnedWrite>): Effect.Effect<void, SqlError> => {
  if (writes.length === 0) return Effect.void
  const last = lastWrites(writes)
  const rows = last.flatMap(({ key, programId, projectId, value }) =>
    value === null ? [] : [[projectId, programId, key, value]]
  )
  const remove = ({ key, programId, projectId }: OwnedWrite) => sql`
    DELETE FROM program_storage
    WHERE project_id = ${projectId} AND program_id = ${programId} AND storage_key = ${key}`
  return Effect.zipRight(
    insertRows(sql, storageRows, rows),
    Effect.forEach(last.filter(({ value }) => value === null), remove, { discard: true })
  )
}

interface StorageRow {
  readonly storage_key: string
  readonly storage_value: string
}

const valuesOf = (sql: SqlClient, projectId: string, programId: string, keys: ReadonlyArray<string>) =>
  keys.length === 0
    ? Effect.succeed([])
    : sql<StorageRow>`
        SELECT storage_key, storage_value FROM program_storage
        WHERE project_id = ${projectId} AND program_id = ${programId} AND ${among(sql, "storage_key", keys)}`

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
