/** The deployed programs. */
import { SqlClient } from "@effect/sql/SqlClient"
import { programIdOf, ProgramStore } from "@sibyl/core"
import { Clock, Effect, Layer, Option } from "effect"
import { orSqlDefect } from "../database/sqlDefect.ts"

interface StoredRow {
  readonly program_id: string
  readonly size_bytes: number | string
  readonly stored_at_ms: number | string
}

/** The program store. */
export const layerSqlProgramStore: Layer.Layer<ProgramStore, never, SqlClient> = Layer.effect(
  ProgramStore,
  Effect.map(SqlClient, (sql) => ({
    get: (programId) =>
      sql<{ readonly bytes: Uint8Array }>`SELECT bytes FROM programs WHERE program_id = ${programId}`.pipe(
        // A copy: PostgreSQL's driver returns a Buffer over a shared pool.
        Effect.map(([row]) => Option.map(Option.fromNullable(row), ({ bytes }) => Uint8Array.from(bytes))),
        orSqlDefect("reading a program")
      ),
    put: (program) =>
      Effect.gen(function* () {
        const programId = programIdOf(program)
        const nowMs = yield* Clock.currentTimeMillis
        yield* sql`
          INSERT INTO programs (program_id, bytes, stored_at_ms) VALUES (${programId}, ${program}, ${nowMs})
          ON CONFLICT (program_id) DO NOTHING`
        return programId
      }).pipe(orSqlDefect("storing a program")),
    list: sql<StoredRow>`
      SELECT program_id, LENGTH(bytes) AS size_bytes, stored_at_ms
      FROM programs ORDER BY stored_at_ms, program_id`.pipe(
      Effect.map((rows) =>
        rows.map((row) => ({
          programId: row.program_id,
          sizeBytes: Number(row.size_bytes),
          storedAtMs: Number(row.stored_at_ms)
        }))
      ),
      orSqlDefect("listing the programs")
    )
  }))
)
