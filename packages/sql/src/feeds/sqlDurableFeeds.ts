/** Durable feeds: their definitions and the log of their runs. */
import { SqlClient } from "@effect/sql/SqlClient"
import { DurableFeeds, type DurableFeed, type FeedProgress } from "@sibyl/core"
import { Clock, type Context, Effect, Layer, Option } from "effect"
import { ask, type Plan } from "../database/plan.ts"
import { type Dialect, query, words } from "../database/query.ts"
import { runPlan } from "../database/runPlan.ts"
import { orSqlDefect } from "../database/sqlDefect.ts"
import { transaction } from "../database/transaction.ts"
import { leaseOf, type LeaseRow } from "./feedLeaseStatements.ts"
import * as Log from "./feedEntryStatements.ts"

/** Locks the project's row, so that concurrent requests of one project are counted one after the other. */
function* create(dialect: Dialect, definition: DurableFeed, maxFeeds: number): Plan<boolean> {
  if (dialect === "pg") yield [query`SELECT project_id FROM projects WHERE project_id = ${definition.projectId} FOR UPDATE`]
  const [row] = yield* ask<{ readonly count: number | string }>(
    query`SELECT COUNT(*) AS count FROM feeds WHERE project_id = ${definition.projectId}`
  )
  if (Number(row?.count ?? 0) >= maxFeeds) return false
  yield Log.addDefinition(definition)
  return true
}

function* remove(projectId: string, feedId: string): Plan<boolean> {
  const removed = yield query`DELETE FROM feeds WHERE feed_id = ${feedId} AND project_id = ${projectId} RETURNING feed_id`
  if (removed.length === 0) return false
  yield [query`DELETE FROM shared_feed WHERE feed_key = ${feedId}`, query`DELETE FROM feed_entries WHERE feed_id = ${feedId}`]
  return true
}

function* progress(dialect: Dialect, feedId: string, nowMs: number): Plan<FeedProgress> {
  const entry = function* (condition: string) {
    const [row] = yield* ask<Log.EntryRow>(Log.lastEntry(feedId, condition))
    return row === undefined ? undefined : Log.entryOf(row)
  }
  const [schedule] = yield* ask<LeaseRow>(leaseOf(dialect, feedId, nowMs))
  const last = yield* entry("")
  const lastResult = yield* entry("AND ended_at_ms IS NOT NULL AND failure IS NULL")
  const lastFailure = yield* entry("AND failure IS NOT NULL")
  return {
    last,
    lastResult,
    lastFailure,
    leaseUntilMs: schedule === undefined ? undefined : Number(schedule.lease_until_ms),
    epoch: schedule === undefined ? undefined : Number(schedule.epoch),
    nowMs: schedule === undefined ? nowMs : Number(schedule.now_ms)
  }
}

/** The store over a client. */
const durableFeeds = (sql: SqlClient): Context.Tag.Service<DurableFeeds> => {
  const run = <A>(doing: string, plan: (dialect: Dialect, nowMs: number) => Plan<A>): Effect.Effect<A> =>
    orSqlDefect(doing)(Effect.flatMap(Clock.currentTimeMillis, (nowMs) => runPlan(sql, (dialect) => plan(dialect, nowMs))))
  const inTransaction = <A>(doing: string, plan: (dialect: Dialect) => Plan<A>): Effect.Effect<A> =>
    transaction(sql, doing, runPlan(sql, plan))
  return {
    create: (definition, maxFeeds) => inTransaction("adding a feed", (dialect) => create(dialect, definition, maxFeeds)),
    list: (projectId) =>
      Effect.map(
        run("listing feeds", () => ask<Log.FeedRow>(Log.definitionsOf(projectId))),
        (rows) => rows.map(Log.definitionOf)
      ),
    find: (projectId, feedId) =>
      Effect.map(
        run("reading a feed", () => ask<Log.FeedRow>(Log.definitionsOf(projectId, feedId))),
        ([row]) => Option.map(Option.fromNullable(row), Log.definitionOf)
      ),
    remove: (projectId, feedId) => inTransaction("removing a feed", () => remove(projectId, feedId)),
    ownerless: (max) =>
      Effect.map(
        run("looking for feeds without an owner", (dialect, nowMs) => ask<Log.FeedRow>(Log.ownerlessFeeds(dialect, max, nowMs))),
        (rows) => rows.map(Log.definitionOf)
      ),
    progress: (feedId) => run("reading a feed's progress", (dialect, nowMs) => progress(dialect, feedId, nowMs)),
    begin: (lease, tick) =>
      Effect.map(
        run("logging a run of a feed", (dialect, nowMs) => ask(Log.addEntry(dialect, lease, tick, nowMs))),
        (rows) => rows.length > 0
      ),
    succeed: (feedId, place, endedAtMs) =>
      Effect.asVoid(run("logging a result of a feed", () => ask(Log.endEntry(feedId, place, endedAtMs, null, words(""))))),
    fail: (lease, place, endedAtMs, failure) =>
      Effect.asVoid(
        run("logging a failure of a feed", (dialect, nowMs) =>
          ask(Log.endEntry(lease.feedKey, place, endedAtMs, failure, Log.whileOwner(dialect, lease, nowMs)))
        )
      ),
    unfinished: (feedId) =>
      Effect.map(
        run("reading runs of a feed", () => ask<Log.EntryRow>(Log.openEntries(feedId))),
        (rows) => rows.map(Log.entryOf)
      ),
    entries: (feedId, after, max) =>
      Effect.map(
        run("reading runs of a feed", () => ask<Log.EntryRow>(Log.entriesAfter(feedId, after, max))),
        (rows) => rows.map(Log.entryOf)
      ),
    sweep: (beforeMs, max) =>
      Effect.map(
        run("sweeping runs of feeds", () => ask(Log.sweepEntries(beforeMs, max))),
        (rows) => rows.length
      )
  }
}

/** The durable feeds. */
export const layerSqlDurableFeeds: Layer.Layer<DurableFeeds, never, SqlClient> = Layer.effect(
  DurableFeeds,
  Effect.map(SqlClient, durableFeeds)
)
