/** The leases of feeds: who owns a schedule, and how far it has come. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { type FeedLease, FeedLeases, type FeedLeaseInput, type FeedLeaseVerdict, type FeedSchedule } from "@sibyl/core"
import { Clock, Effect, Layer, Option } from "effect"
import { ask } from "../database/plan.ts"
import type { Dialect, Query } from "../database/query.ts"
import { realmOfDatabase } from "../database/realmOfDatabase.ts"
import { runPlan } from "../database/runPlan.ts"
import { orSqlDefect } from "../database/sqlDefect.ts"
import {
  advanceLease,
  beginEpoch,
  endLease,
  forgetOld,
  leaseOf,
  type LeaseRow,
  renewedTogether,
  renewLeases,
  takeLease
} from "./feedLeaseStatements.ts"

/** Runs one statement, which is given the dialect and the caller's time. */
const rowsOf = (sql: SqlClient, statement: (dialect: Dialect, nowMs: number) => Query): Effect.Effect<ReadonlyArray<LeaseRow>, SqlError> =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMs) => runPlan(sql, (dialect) => ask<LeaseRow>(statement(dialect, nowMs))))

const scheduleOf = ({ epoch, next_tick, seq }: LeaseRow): FeedSchedule => ({
  epoch: Number(epoch),
  nextTick: Number(next_tick),
  seq: Number(seq)
})

const leaseIn = ({ feed_key: feedKey, owner, term }: LeaseRow): FeedLease => ({ feedKey, owner, term: Number(term) })

const heldBy = (row: LeaseRow): FeedLeaseVerdict => ({
  kind: "held",
  lease: leaseIn(row),
  schedule: scheduleOf(row),
  leaseUntilMs: Number(row.lease_until_ms),
  nowMs: Number(row.now_ms)
})

const acquire = (sql: SqlClient, input: FeedLeaseInput): Effect.Effect<FeedLeaseVerdict, SqlError> =>
  Effect.gen(function* () {
    const [taken] = yield* rowsOf(sql, (dialect, nowMs) => takeLease(dialect, input, nowMs))
    if (taken !== undefined) {
      if (Number(taken.term) === 1) yield* rowsOf(sql, forgetOld)
      return heldBy(taken)
    }
    const [other] = yield* rowsOf(sql, (dialect, nowMs) => leaseOf(dialect, input.feedKey, nowMs))
    // It was forgotten in between.
    if (other === undefined) return yield* acquire(sql, input)
    const holder = { owner: other.owner, epoch: Number(other.epoch), term: Number(other.term) }
    return { kind: "taken", leaseUntilMs: Number(other.lease_until_ms), nowMs: Number(other.now_ms), holder }
  })

const groupsOf = (leases: ReadonlyArray<FeedLease>): ReadonlyArray<ReadonlyArray<FeedLease>> =>
  Array.from({ length: Math.ceil(leases.length / renewedTogether) }, (_, at) =>
    leases.slice(at * renewedTogether, (at + 1) * renewedTogether)
  )

const renew = (sql: SqlClient, leases: ReadonlyArray<FeedLease>, leaseMs: number) =>
  Effect.gen(function* () {
    const groups = yield* Effect.forEach(groupsOf(leases), (group) =>
      rowsOf(sql, (dialect, nowMs) => renewLeases(dialect, group, leaseMs, nowMs))
    )
    return groups.flat().map(leaseIn)
  })

/** The leases. */
export const layerSqlFeedLeases: Layer.Layer<FeedLeases, never, SqlClient> = Layer.effect(
  FeedLeases,
  Effect.map(Effect.bindTo(SqlClient, "sql").pipe(Effect.bind("realm", ({ sql }) => realmOfDatabase(sql))), ({ realm, sql }) => ({
    realm,
    acquire: (input) => orSqlDefect("taking the lease of a feed")(acquire(sql, input)),
    renew: (leases, leaseMs) => orSqlDefect("renewing leases of feeds")(renew(sql, leases, leaseMs)),
    advance: (lease, to) =>
      rowsOf(sql, (dialect, nowMs) => advanceLease(dialect, lease, to, nowMs)).pipe(
        Effect.map((rows) => rows.length > 0),
        orSqlDefect("advancing a feed")
      ),
    beginEpoch: (lease) =>
      rowsOf(sql, (dialect, nowMs) => beginEpoch(dialect, lease, nowMs)).pipe(
        Effect.map(([row]) => Option.map(Option.fromNullable(row), scheduleOf)),
        orSqlDefect("beginning an epoch of a feed")
      ),
    release: (lease, forget = false) =>
      Effect.asVoid(rowsOf(sql, (dialect, nowMs) => endLease(dialect, lease, forget, nowMs))).pipe(
        orSqlDefect("releasing the lease of a feed")
      )
  }))
)
