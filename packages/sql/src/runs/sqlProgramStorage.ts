/** The storage of programs between runs. */
import { SqlClient } from "@effect/sql/SqlClient"
import { ProgramStorage } from "@sibyl/core"
import { Effect, Layer } from "effect"
import { ask, type Plan } from "../database/plan.ts"
import { among, query } from "../database/query.ts"
import { runPlan } from "../database/runPlan.ts"
import { orSqlDefect } from "../database/sqlDefect.ts"
import { keysAtOnce } from "./keepStorage.ts"

interface StorageRow {
  readonly storage_key: string
  readonly storage_value: string
}

function* valuesOf(projectId: string, programId: string, keys: ReadonlyArray<string>): Plan<ReadonlyArray<StorageRow>> {
  const found: Array<StorageRow> = []
  for (let from = 0; from < keys.length; from += keysAtOnce) {
    const rows = yield* ask<StorageRow>(query`
      SELECT storage_key, storage_value FROM program_storage
      WHERE project_id = ${projectId} AND program_id = ${programId}
        AND ${among("storage_key", keys.slice(from, from + keysAtOnce))}`)
    found.push(...rows)
  }
  return found
}

/** The storage. */
export const layerSqlProgramStorage: Layer.Layer<ProgramStorage, never, SqlClient> = Layer.effect(
  ProgramStorage,
  Effect.map(SqlClient, (sql) => ({
    read: (projectId, programId, keys) =>
      Effect.gen(function* () {
        const found = yield* runPlan(sql, () => valuesOf(projectId, programId, keys))
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
