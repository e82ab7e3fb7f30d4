/** The statements of leases of feeds. Each is one change of one table, by the database's own time on PostgreSQL. */
import type { FeedLease, FeedLeaseInput, FeedSchedule } from "@sibyl/core"
import { recordKeptMs, scheduleKeptMs } from "@sibyl/core"
import { databaseNow } from "../database/databaseTime.ts"
import { type Dialect, type Query, query, words } from "../database/query.ts"

/** A row, with the time at which the statement ran; PostgreSQL gives 64-bit numbers as text. */
export interface LeaseRow {
  readonly feed_key: string
  readonly owner: string
  readonly term: number | string
  readonly lease_until_ms: number | string
  readonly epoch: number | string
  readonly next_tick: number | string
  readonly seq: number | string
  readonly now_ms: number | string
}

/** Now. A SQLite file is used on one machine, whose clock is the caller's. */
export const nowIn = (dialect: Dialect, nowMs: number): Query => (dialect === "pg" ? databaseNow : query`CAST(${nowMs} AS INTEGER)`)

/** The larger of two numbers. */
const larger = (dialect: Dialect): Query => words(dialect === "pg" ? "GREATEST" : "MAX")

const columns = (now: Query): Query => query`feed_key, owner, term, lease_until_ms, epoch, next_tick, seq, ${now} AS now_ms`

/** Takes a lease that is free, over or the owner's own: its row, or none. A schedule that is forgotten begins anew. */
export const takeLease = (dialect: Dialect, { feedKey, leaseMs, owner }: FeedLeaseInput, nowMs: number): Query => {
  const now = nowIn(dialect, nowMs)
  const forgotten = query`held.lease_until_ms + ${scheduleKeptMs} <= ${now}`
  return query`
    INSERT INTO shared_feed AS held (feed_key, owner, term, lease_until_ms, epoch, next_tick, seq)
    VALUES (${feedKey}, ${owner}, 1, ${now} + ${leaseMs}, ${now}, 0, 0)
    ON CONFLICT (feed_key) DO UPDATE SET owner = excluded.owner, term = held.term + 1, lease_until_ms = ${now} + ${leaseMs},
      epoch = CASE WHEN ${forgotten} THEN ${larger(dialect)}(${now}, held.epoch + 1) ELSE held.epoch END,
      next_tick = CASE WHEN ${forgotten} THEN 0 ELSE held.next_tick END,
      seq = CASE WHEN ${forgotten} THEN 0 ELSE held.seq END
    WHERE held.owner = excluded.owner OR held.lease_until_ms <= ${now}
    RETURNING ${columns(now)}`
}

/** Until when a lease is taken. */
export const leaseOf = (dialect: Dialect, feedKey: string, nowMs: number): Query =>
  query`SELECT ${columns(nowIn(dialect, nowMs))} FROM shared_feed WHERE feed_key = ${feedKey}`

/** How many forgotten schedules a new one removes: more than it adds, so that they do not accumulate. */
const sweptByNew = 8

/** Forgets schedules that nobody has held for long. Rows that another transaction has locked are skipped. */
export const forgetOld = (dialect: Dialect, nowMs: number): Query => query`
  DELETE FROM shared_feed WHERE feed_key IN (
    SELECT feed_key FROM shared_feed WHERE lease_until_ms + ${recordKeptMs} <= ${nowIn(dialect, nowMs)}
    LIMIT ${sweptByNew} ${words(dialect === "pg" ? "FOR UPDATE SKIP LOCKED" : "")})`

/** The row of a lease that is not over, as a condition on `shared_feed`. */
export const holdsLease = (dialect: Dialect, { feedKey, owner, term }: FeedLease, nowMs: number): Query => query`
  feed_key = ${feedKey} AND owner = ${owner} AND term = ${term} AND lease_until_ms > ${nowIn(dialect, nowMs)}`

/** How many leases one statement renews. */
export const renewedTogether = 64

/** Extends some leases: one at least, {@link renewedTogether} at most. */
export const renewLeases = (dialect: Dialect, leases: ReadonlyArray<FeedLease>, leaseMs: number, nowMs: number): Query => {
  const now = nowIn(dialect, nowMs)
  const each = leases.map((lease) => holdsLease(dialect, lease, nowMs))
  const any: Query = { text: each.map(({ text }) => `(${text})`).join(" OR "), values: each.flatMap(({ values }) => values) }
  return query`UPDATE shared_feed SET lease_until_ms = ${now} + ${leaseMs} WHERE ${any} RETURNING ${columns(now)}`
}

/** Records how far the holder has come; nothing goes back. */
export const advanceLease = (
  dialect: Dialect,
  lease: FeedLease,
  { nextTick, seq }: Pick<FeedSchedule, "nextTick" | "seq">,
  nowMs: number
): Query => query`
  UPDATE shared_feed SET next_tick = ${larger(dialect)}(next_tick, ${nextTick}), seq = ${larger(dialect)}(seq, ${seq})
  WHERE ${holdsLease(dialect, lease, nowMs)} RETURNING feed_key`

/** Begins an epoch. */
export const beginEpoch = (dialect: Dialect, lease: FeedLease, nowMs: number): Query => {
  const now = nowIn(dialect, nowMs)
  return query`
    UPDATE shared_feed SET epoch = ${larger(dialect)}(${now}, epoch + 1), next_tick = 0, seq = 0
    WHERE ${holdsLease(dialect, lease, nowMs)} RETURNING ${columns(now)}`
}

/** Ends a lease, and with `forget` its schedule. */
export const endLease = (dialect: Dialect, lease: FeedLease, forget: boolean, nowMs: number): Query => query`
  UPDATE shared_feed SET lease_until_ms = ${nowIn(dialect, nowMs)} - ${forget ? scheduleKeptMs : 0} WHERE ${holdsLease(dialect, lease, nowMs)}`

/**
 * Begins an epoch of each schedule, and another one when it is taken: a copy of a database does not know which numbers the original has
 * given out since.
 */
export const beginAllAnew = (dialect: Dialect, nowMs: number): Query => {
  const now = nowIn(dialect, nowMs)
  return query`
    UPDATE shared_feed SET epoch = ${larger(dialect)}(${now}, epoch + 1), next_tick = 0, seq = 0, lease_until_ms = ${now} - ${scheduleKeptMs}`
}
