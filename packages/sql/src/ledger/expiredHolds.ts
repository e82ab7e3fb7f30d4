/** Holds whose run will never end: their lease has ended, or their process is gone. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { LedgerOperation } from "@sibyl/core"
import { Clock, Effect } from "effect"
import { performOperations } from "./ledgerBatch.ts"

const projectsWithHolds = (sql: SqlClient, untilMs: number) =>
  Effect.map(
    sql<{ readonly project_id: string }>`
      SELECT DISTINCT project_id FROM holds WHERE state = 'held' AND lease_end_ms <= ${untilMs}`,
    (rows) => rows.map((row) => row.project_id)
  )

const returnHolds = (sql: SqlClient, kind: (LedgerOperation & { readonly kind: "expire" | "voidAll" })["kind"]) =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const untilMs = kind === "voidAll" ? Number.MAX_SAFE_INTEGER : nowMs
    for (const projectId of yield* projectsWithHolds(sql, untilMs)) {
      const operations = [{ operation: { kind, projectId }, nowMs }]
      yield* performOperations(sql, operations)
    }
  })

/** Returns the lapsed holds of every project, project by project. */
export const voidLapsedHolds: Effect.Effect<void, SqlError, SqlClient> = Effect.flatMap(SqlClient, (sql) => returnHolds(sql, "expire"))

/** Returns every open hold of every project. Correct only while no other process has the database open: the runs are gone then. */
export const voidOrphanedHolds: Effect.Effect<void, SqlError, SqlClient> = Effect.flatMap(SqlClient, (sql) => returnHolds(sql, "voidAll"))
