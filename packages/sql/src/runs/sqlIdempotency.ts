/** The answers stored under idempotency keys. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import {
  Idempotency,
  type IdempotencyClaim,
  type IdempotencyRecord,
  type IdempotencyVerdict,
  type IdempotencyInput,
  judgeIdempotency,
  keptMs
} from "@sibyl/core"
import { Clock, Effect, Layer } from "effect"
import { orSqlDefect } from "../database/sqlDefect.ts"
import { forUpdate, transaction } from "../database/transaction.ts"

interface KeyRow {
  readonly fingerprint: string
  readonly run_id: string
  readonly attempt_id: string
  readonly lease_end_ms: number | string
  readonly expires_at_ms: number | string
  readonly status: number | string | null
  readonly body: string | null
}

const recordOf = (row: KeyRow): IdempotencyRecord => ({
  fingerprint: row.fingerprint,
  runId: row.run_id,
  attemptId: row.attempt_id,
  leaseEndMs: Number(row.lease_end_ms),
  expiresAtMs: Number(row.expires_at_ms),
  answer: row.status === null || row.body === null ? undefined : { status: Number(row.status), body: row.body }
})

const find = (sql: SqlClient, { key, projectId }: IdempotencyInput, locked: boolean) =>
  Effect.map(
    sql<KeyRow>`
      SELECT fingerprint, run_id, attempt_id, lease_end_ms, expires_at_ms, status, body FROM idempotency_keys
      WHERE project_id = ${projectId} AND idempotency_key = ${key} ${locked ? forUpdate(sql) : sql.literal("")}`,
    ([row]) => (row === undefined ? undefined : recordOf(row))
  )

/** How many expired keys a claim removes: more than it adds, so that they do not accumulate. */
const sweptByClaim = 8

/** Rows that another transaction has locked are skipped: waiting for them could end in a deadlock. */
const sweep = (sql: SqlClient, nowMs: number) => sql`
  DELETE FROM idempotency_keys WHERE (project_id, idempotency_key) IN (
    SELECT project_id, idempotency_key FROM idempotency_keys WHERE expires_at_ms <= ${nowMs}
    ORDER BY expires_at_ms LIMIT ${sweptByClaim}
    ${sql.onDialectOrElse({ pg: () => sql.literal("FOR UPDATE SKIP LOCKED"), orElse: () => sql.literal("") })})`

/** Inserts the record of a new key; false if another transaction was first. */
const insert = (sql: SqlClient, { key, projectId }: IdempotencyInput, record: IdempotencyRecord) =>
  Effect.map(
    sql`INSERT INTO idempotency_keys
        (project_id, idempotency_key, fingerprint, run_id, attempt_id, lease_end_ms, expires_at_ms)
      VALUES (${projectId}, ${key}, ${record.fingerprint}, ${record.runId}, ${record.attemptId},
        ${record.leaseEndMs}, ${record.expiresAtMs})
      ON CONFLICT (project_id, idempotency_key) DO NOTHING RETURNING run_id`,
    (rows) => rows.length > 0
  )

const replace = (sql: SqlClient, { key, projectId }: IdempotencyInput, record: IdempotencyRecord) =>
  Effect.asVoid(sql`
    UPDATE idempotency_keys SET fingerprint = ${record.fingerprint}, run_id = ${record.runId},
      attempt_id = ${record.attemptId}, lease_end_ms = ${record.leaseEndMs}, expires_at_ms = ${record.expiresAtMs},
      status = NULL, body = NULL
    WHERE project_id = ${projectId} AND idempotency_key = ${key}`)

/** The claim in its own transaction. */
const take = (sql: SqlClient, input: IdempotencyInput): Effect.Effect<IdempotencyVerdict, SqlError> =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    yield* sweep(sql, nowMs)
    const fresh = judgeIdempotency(undefined, input, nowMs)
    if (fresh.record !== undefined && (yield* insert(sql, input, fresh.record))) return fresh.verdict
    // The row exists, and is locked until the transaction ends. If it is missing, it was freed in between and has to be claimed again.
    const found = yield* find(sql, input, true)
    if (found === undefined) return { kind: "running" }
    const { record, verdict } = judgeIdempotency(found, input, nowMs)
    if (record !== undefined) yield* replace(sql, input, record)
    return verdict
  })

/** Waiting callers poll often, so this neither locks nor writes. */
const claim = (sql: SqlClient, input: IdempotencyInput): Effect.Effect<IdempotencyVerdict> =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const { record, verdict } = judgeIdempotency(yield* find(sql, input, false), input, nowMs)
    return record === undefined ? verdict : yield* transaction(sql, "claiming an idempotency key", take(sql, input))
  }).pipe(orSqlDefect("reading an idempotency key"))

/** The row of a claim that still holds its key. */
const held = (sql: SqlClient, { attemptId, key, projectId }: IdempotencyClaim) => sql`
  project_id = ${projectId} AND idempotency_key = ${key} AND attempt_id = ${attemptId} AND status IS NULL`

/** Ends the lease of every open claim. Correct only while no other process has the database open: the holders are gone. */
export const lapseOrphanedClaims: Effect.Effect<void, SqlError, SqlClient> = Effect.flatMap(SqlClient, (sql) =>
  Effect.asVoid(sql`UPDATE idempotency_keys SET lease_end_ms = 0 WHERE status IS NULL AND lease_end_ms > 0`)
)

/** The idempotency keys. */
export const layerSqlIdempotency: Layer.Layer<Idempotency, never, SqlClient> = Layer.effect(
  Idempotency,
  Effect.map(SqlClient, (sql) => ({
    claim: (input) => claim(sql, input),
    renew: (mine, leaseMs) =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const rows = yield* sql`
          UPDATE idempotency_keys SET lease_end_ms = ${nowMs + leaseMs} WHERE ${held(sql, mine)} RETURNING run_id`
        return rows.length > 0
      }).pipe(orSqlDefect("renewing an idempotency key")),
    keep: (mine, { body, status }) =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        yield* sql`
          UPDATE idempotency_keys SET status = ${status}, body = ${body}, expires_at_ms = ${nowMs + keptMs}
          WHERE ${held(sql, mine)}`
      }).pipe(orSqlDefect("keeping an answer")),
    release: (mine) =>
      Effect.asVoid(sql`DELETE FROM idempotency_keys WHERE ${held(sql, mine)}`).pipe(orSqlDefect("freeing an idempotency key"))
  }))
)
