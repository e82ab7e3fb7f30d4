/** The statements of the log of durable feeds. */
import type { DurableFeed, FeedEntry, FeedLease, FeedPlace, FeedTick } from "@sibyl/core"
import { type Dialect, type Query, query, words } from "../database/query.ts"
import { holdsLease, nowIn } from "./feedLeaseStatements.ts"

/** A definition as a row. */
export interface FeedRow {
  readonly feed_id: string
  readonly project_id: string
  readonly execute_json: string
  readonly mode: DurableFeed["mode"]
  readonly period_ms: number | string
  readonly created_at_ms: number | string
  readonly started_by: string | null
}

/** A run as a row. */
export interface EntryRow {
  readonly epoch: number | string
  readonly seq: number | string
  readonly tick: number | string
  readonly scheduled_at_ms: number | string
  readonly started_at_ms: number | string
  readonly ended_at_ms: number | string | null
  readonly failure: string | null
}

/** The definition of a row. */
export const definitionOf = (row: FeedRow): DurableFeed => ({
  feedId: row.feed_id,
  projectId: row.project_id,
  execute: row.execute_json,
  mode: row.mode,
  periodMs: Number(row.period_ms),
  createdAtMs: Number(row.created_at_ms),
  ...(row.started_by === null ? {} : { startedBy: row.started_by })
})

/** The run of a row. */
export const entryOf = (row: EntryRow): FeedEntry => ({
  epoch: Number(row.epoch),
  seq: Number(row.seq),
  tick: Number(row.tick),
  scheduledAtMs: Number(row.scheduled_at_ms),
  startedAtMs: Number(row.started_at_ms),
  endedAtMs: row.ended_at_ms === null ? null : Number(row.ended_at_ms),
  failure: row.failure
})

const feedColumns = words("feed_id, project_id, execute_json, mode, period_ms, created_at_ms, started_by")

const entryColumns = words("epoch, seq, tick, scheduled_at_ms, started_at_ms, ended_at_ms, failure")

/** A project's definitions, oldest first; with an id, that one. */
export const definitionsOf = (projectId: string, feedId?: string): Query => query`
  SELECT ${feedColumns} FROM feeds WHERE project_id = ${projectId} ${feedId === undefined ? words("") : query`AND feed_id = ${feedId}`}
  ORDER BY created_at_ms, feed_id`

/** Definitions that nobody owns now. */
export const ownerlessFeeds = (dialect: Dialect, max: number, nowMs: number): Query => query`
  SELECT ${feedColumns} FROM feeds WHERE NOT EXISTS (
    SELECT 1 FROM shared_feed WHERE feed_key = feeds.feed_id AND lease_until_ms > ${nowIn(dialect, nowMs)})
  LIMIT ${max}`

/** Adds a definition. */
export const addDefinition = (feed: DurableFeed): Query => query`
  INSERT INTO feeds (feed_id, project_id, execute_json, mode, period_ms, created_at_ms, started_by)
  VALUES (${feed.feedId}, ${feed.projectId}, ${feed.execute}, ${feed.mode}, ${feed.periodMs}, ${feed.createdAtMs}, ${feed.startedBy ?? null})`

/**
 * Logs a run, if its owner may start it. PostgreSQL locks the lease for it: a removal that deletes the lease first and the log behind it waits
 * for runs that are being logged, and none is logged meanwhile.
 */
export const addEntry = (dialect: Dialect, lease: FeedLease, tick: FeedTick, nowMs: number): Query => query`
  INSERT INTO feed_entries (feed_id, epoch, seq, tick, scheduled_at_ms, started_at_ms)
  SELECT feed_key, ${integer(tick.epoch)}, ${integer(tick.seq)}, ${integer(tick.tick)}, ${integer(tick.scheduledAtMs)},
    ${integer(tick.startedAtMs)}
  FROM shared_feed WHERE ${holdsLease(dialect, lease, nowMs)} AND EXISTS (SELECT 1 FROM feeds WHERE feed_id = ${lease.feedKey})
  ${words(dialect === "pg" ? "FOR KEY SHARE OF shared_feed" : "")}
  ON CONFLICT DO NOTHING RETURNING seq`

/** PostgreSQL takes a value in a list of results for text unless it is told otherwise. */
const integer = (value: number): Query => query`CAST(${value} AS BIGINT)`

const at = (feedId: string, { epoch, seq }: FeedPlace): Query => query`feed_id = ${feedId} AND epoch = ${epoch} AND seq = ${seq}`

/** Logs the end of a run, if it has not ended. */
export const endEntry = (feedId: string, place: FeedPlace, endedAtMs: number, failure: string | null, also: Query): Query => query`
  UPDATE feed_entries SET ended_at_ms = ${endedAtMs}, failure = ${failure}
  WHERE ${at(feedId, place)} AND ended_at_ms IS NULL ${also}`

/** Whether a lease holds, as a condition on another table. */
export const whileOwner = (dialect: Dialect, lease: FeedLease, nowMs: number): Query =>
  query`AND EXISTS (SELECT 1 FROM shared_feed WHERE ${holdsLease(dialect, lease, nowMs)})`

/** The last run of which this holds. */
export const lastEntry = (feedId: string, condition: string): Query => query`
  SELECT ${entryColumns} FROM feed_entries WHERE feed_id = ${feedId} ${words(condition)} ORDER BY epoch DESC, seq DESC LIMIT 1`

/** The runs that have not ended. */
export const openEntries = (feedId: string): Query => query`
  SELECT ${entryColumns} FROM feed_entries WHERE feed_id = ${feedId} AND ended_at_ms IS NULL ORDER BY epoch, seq`

/** The runs after a place. */
export const entriesAfter = (feedId: string, after: FeedPlace | undefined, max: number): Query => query`
  SELECT ${entryColumns} FROM feed_entries WHERE feed_id = ${feedId}
    ${after === undefined ? words("") : query`AND (epoch, seq) > (${after.epoch}, ${after.seq})`}
  ORDER BY epoch, seq LIMIT ${max}`

/** Deletes old runs. */
export const sweepEntries = (beforeMs: number, max: number): Query => query`
  DELETE FROM feed_entries WHERE (feed_id, epoch, seq) IN (
    SELECT feed_id, epoch, seq FROM feed_entries WHERE started_at_ms < ${beforeMs} AND ended_at_ms IS NOT NULL
    ORDER BY started_at_ms LIMIT ${max})
  RETURNING seq`
