/** The transaction in which a caller takes an idempotency key, or learns who has it. */
import { type IdempotencyInput, type IdempotencyRecord, type IdempotencyVerdict, judgeIdempotency } from "@sibyl/core"
import { ask, type Plan } from "../database/plan.ts"
import type { Procedure } from "../database/procedure.ts"
import { type Dialect, locking, query, words } from "../database/query.ts"

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

/** The record of a key; with a dialect, locked until the transaction ends. */
export function* findKey(
  { key, projectId }: Pick<IdempotencyInput, "key" | "projectId">,
  lockedIn?: Dialect
): Plan<IdempotencyRecord | undefined> {
  const [row] = yield* ask<KeyRow>(query`
    SELECT fingerprint, run_id, attempt_id, lease_end_ms, expires_at_ms, status, body FROM idempotency_keys
    WHERE project_id = ${projectId} AND idempotency_key = ${key} ${lockedIn === undefined ? words("") : locking(lockedIn)}`)
  return row === undefined ? undefined : recordOf(row)
}

/** How many expired keys a claim removes: more than it adds, so that they do not accumulate. */
const sweptByClaim = 8

/** Rows that another transaction has locked are skipped: waiting for them could end in a deadlock. */
const sweep = (dialect: Dialect, nowMs: number) => query`
  DELETE FROM idempotency_keys WHERE (project_id, idempotency_key) IN (
    SELECT project_id, idempotency_key FROM idempotency_keys WHERE expires_at_ms <= ${nowMs}
    ORDER BY expires_at_ms LIMIT ${sweptByClaim} ${words(dialect === "pg" ? "FOR UPDATE SKIP LOCKED" : "")})`

/** Inserts the record of a new key; false if another transaction was first. */
function* insert({ key, projectId }: IdempotencyInput, record: IdempotencyRecord): Plan<boolean> {
  const rows = yield query`
    INSERT INTO idempotency_keys
      (project_id, idempotency_key, fingerprint, run_id, attempt_id, lease_end_ms, expires_at_ms)
    VALUES (${projectId}, ${key}, ${record.fingerprint}, ${record.runId}, ${record.attemptId},
      ${record.leaseEndMs}, ${record.expiresAtMs})
    ON CONFLICT (project_id, idempotency_key) DO NOTHING RETURNING run_id`
  return rows.length > 0
}

const replace = ({ key, projectId }: IdempotencyInput, record: IdempotencyRecord) => query`
  UPDATE idempotency_keys SET fingerprint = ${record.fingerprint}, run_id = ${record.runId},
    attempt_id = ${record.attemptId}, lease_end_ms = ${record.leaseEndMs}, expires_at_ms = ${record.expiresAtMs},
    status = NULL, body = NULL
  WHERE project_id = ${projectId} AND idempotency_key = ${key}`

/** A claim, and the time of its caller. */
export interface ClaimInput {
  readonly input: IdempotencyInput
  readonly nowMs: number
}

function* take(dialect: Dialect, { input, nowMs }: ClaimInput): Plan<IdempotencyVerdict> {
  yield [sweep(dialect, nowMs)]
  const fresh = judgeIdempotency(undefined, input, nowMs)
  if (fresh.record !== undefined && (yield* insert(input, fresh.record))) return fresh.verdict
  // The row exists, and is locked until the transaction ends. If it is missing, it was freed in between and has to be claimed again.
  const found = yield* findKey(input, dialect)
  if (found === undefined) return { kind: "running" }
  const { record, verdict } = judgeIdempotency(found, input, nowMs)
  if (record !== undefined) yield [replace(input, record)]
  return verdict
}

/** Takes a key. */
export const claimProcedure: Procedure<ClaimInput, IdempotencyVerdict> = { name: "claim", plan: take }
