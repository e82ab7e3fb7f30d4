/** The answers stored under idempotency keys. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Idempotency, type IdempotencyClaim, type IdempotencyVerdict, type IdempotencyInput, judgeIdempotency, keptMs } from "@sibyl/core"
import { Clock, Effect, Layer, Option } from "effect"
import { runProcedure } from "../database/procedure.ts"
import { runPlan } from "../database/runPlan.ts"
import { DatabaseTime } from "../database/databaseTime.ts"
import { orSqlDefect } from "../database/sqlDefect.ts"
import { type ClaimInput, claimProcedure, findKey } from "./claimProcedure.ts"

/** Waiting callers poll often, so this neither locks nor writes. */
const claim = (sql: SqlClient, input: IdempotencyInput): Effect.Effect<IdempotencyVerdict> =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const { record, verdict } = judgeIdempotency(yield* runPlan(sql, () => findKey(input)), input, nowMs)
    if (record === undefined) return verdict
    const clock = yield* Effect.clock
    const { attemptId, fingerprint, key, leaseMs, projectId } = input
    const inputOf = (): ClaimInput => ({
      input: { attemptId, fingerprint, key, leaseMs, projectId },
      nowMs: clock.unsafeCurrentTimeMillis()
    })
    return yield* orSqlDefect("claiming an idempotency key")(runProcedure(sql, claimProcedure, inputOf, false))
  }).pipe(orSqlDefect("reading an idempotency key"))

/** The row of a claim that still holds its key. */
const held = (sql: SqlClient, { attemptId, key, projectId }: IdempotencyClaim) => sql`
  project_id = ${projectId} AND idempotency_key = ${key} AND attempt_id = ${attemptId} AND status IS NULL`

/** Ends the lease of every open claim. Correct only while no other process has the database open: the holders are gone. */
export const lapseOrphanedClaims: Effect.Effect<void, SqlError, SqlClient> = Effect.flatMap(SqlClient, (sql) =>
  Effect.asVoid(sql`UPDATE idempotency_keys SET lease_end_ms = 0 WHERE status IS NULL AND lease_end_ms > 0`)
)

/** The idempotency keys. */
export const layerSqlIdempotency: Layer.Layer<Idempotency, never, SqlClient | DatabaseTime> = Layer.effect(
  Idempotency,
  Effect.map(Effect.all([SqlClient, DatabaseTime]), ([sql, during]) => ({
    claim: (input) => during(claim(sql, input)),
    renew: (mine, leaseMs) =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const rows = yield* sql`
          UPDATE idempotency_keys SET lease_end_ms = ${nowMs + leaseMs} WHERE ${held(sql, mine)} RETURNING run_id`
        return rows.length > 0
      }).pipe(orSqlDefect("renewing an idempotency key"), during),
    answer: (mine) =>
      Effect.map(
        runPlan(sql, () => findKey(mine)),
        (found) => Option.fromNullable(found?.answer)
      ).pipe(orSqlDefect("reading a kept answer")),
    keep: (mine, { body, status }) =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        yield* sql`
          UPDATE idempotency_keys SET status = ${status}, body = ${body}, expires_at_ms = ${nowMs + keptMs}
          WHERE ${held(sql, mine)}`
      }).pipe(orSqlDefect("keeping an answer"), during),
    release: (mine) =>
      Effect.asVoid(sql`DELETE FROM idempotency_keys WHERE ${held(sql, mine)}`).pipe(orSqlDefect("freeing an idempotency key"))
  }))
)
