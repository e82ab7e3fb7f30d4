/** The time by which leases go. On PostgreSQL it is the database's, so that servers may disagree about the time. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { logPart } from "@sibyl/core/internal"
import { Clock, Context, Effect, Layer, Schedule, type Scope } from "effect"
import { ask } from "./plan.ts"
import { type Query, query, words } from "./query.ts"
import { runPlan } from "./runPlan.ts"
import { orSqlDefect } from "./sqlDefect.ts"

/** How often the database is asked: a lease of a hold is four times that. */
const askedEveryMs = 30_000

/** Differences that are left alone, ms: clocks that are kept right differ by less, and leases are much longer. */
const toleratedMs = 500

/** A difference that is worth a word, ms. */
const worthAWordMs = 5_000

/** A question to the database for its time, in ms: when it was asked and answered by the monotonic clock here, and the answer. */
export interface AskedTime {
  readonly askedMs: number
  readonly answeredMs: number
  readonly databaseMs: number
}

/**
 * By how many ms the database's time is ahead of the monotonic clock, after one more question. The answer was true at some moment between
 * asking and being answered; what was known before stands as long as it may be right.
 */
export const aheadAfter = (knownMs: number, { answeredMs, askedMs, databaseMs }: AskedTime): number => {
  const [leastMs, mostMs] = [databaseMs - answeredMs, databaseMs - askedMs]
  return knownMs >= leastMs - toleratedMs && knownMs <= mostMs + toleratedMs ? knownMs : (leastMs + mostMs) / 2
}

/** The time of a PostgreSQL, ms since the Unix epoch, as a part of a statement. */
export const databaseNow: Query = words("CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) AS BIGINT)")

const monotonicMs = (clock: Clock.Clock): number => Number(clock.unsafeCurrentTimeNanos()) / 1e6

/** Shows the database's time where its base is wrong by more than is tolerated, also after a step of the base. */
const clockOf = (base: Clock.Clock, aheadMs: () => number): Clock.Clock => {
  const nowMs = (): number => {
    const ownMs = base.unsafeCurrentTimeMillis()
    const storeMs = Math.floor(monotonicMs(base) + aheadMs())
    return Math.abs(storeMs - ownMs) > toleratedMs ? storeMs : ownMs
  }
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: nowMs,
    currentTimeMillis: Effect.sync(nowMs),
    unsafeCurrentTimeNanos: () => base.unsafeCurrentTimeNanos(),
    currentTimeNanos: base.currentTimeNanos,
    sleep: (duration) => base.sleep(duration)
  }
}

const askTime = (sql: SqlClient): Effect.Effect<AskedTime, SqlError> =>
  Effect.gen(function* () {
    const clock = yield* Effect.clock
    const askedMs = monotonicMs(clock)
    const [row] = yield* runPlan(sql, () => ask<{ readonly now_ms: number | string }>(query`SELECT ${databaseNow} AS now_ms`))
    return { askedMs, answeredMs: monotonicMs(clock), databaseMs: Number(row?.now_ms) }
  })

/** What there is to say of a clock that differs from the database's by `offMs`. */
const wordOf = (offMs: number): string | undefined => {
  if (Math.abs(offMs) < worthAWordMs) return undefined
  const by = `${Math.round(Math.abs(offMs) / 1_000)} s ${offMs > 0 ? "ahead of" : "behind"}`
  return `this machine's clock is ${by} the database's: results are signed with its time, and keys and tickets expire by it`
}

/** Tells once that this machine's clock differs from the database's by `offMs`, and once that it agrees again. */
const clockTeller = () => {
  let isOff = false
  return (offMs: number): Effect.Effect<void> => {
    const word = wordOf(offMs)
    if ((word !== undefined) === isOff) return Effect.void
    isOff = !isOff
    const line = word === undefined ? Effect.logInfo("this machine's clock agrees with the database's again") : Effect.logWarning(word)
    return Effect.annotateLogs(line, logPart("storage"))
  }
}

/** By how many ms a clock is ahead of its own monotonic one. */
const ownAheadMs = (clock: Clock.Clock): number => clock.unsafeCurrentTimeMillis() - monotonicMs(clock)

const isPostgres = (sql: SqlClient): boolean => sql.onDialectOrElse({ pg: () => true, orElse: () => false })

/** What there is to say of this machine's clock beside the database's, after asking once; `undefined` if they agree, and on SQLite. */
export const differenceOfClocks: Effect.Effect<string | undefined, never, SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient
  if (!isPostgres(sql)) return undefined
  const asked = yield* askTime(sql)
  const aheadMs = yield* Effect.map(Effect.clock, ownAheadMs)
  return wordOf(aheadMs - aheadAfter(aheadMs, asked))
}).pipe(orSqlDefect("asking for the database's time"))

/** Runs work by the time of the database. */
export type ByDatabaseTime = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

const makePostgres = (sql: SqlClient): Effect.Effect<ByDatabaseTime, SqlError, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Effect.clock
    let aheadMs = ownAheadMs(clock)
    const note = Effect.map(askTime(sql), (asked) => void (aheadMs = aheadAfter(aheadMs, asked)))
    yield* note
    const tell = clockTeller()
    const noteAndTell = Effect.zipRight(
      note,
      Effect.suspend(() => tell(ownAheadMs(clock) - aheadMs))
    )
    // While the database does not answer, what is known stands. Commands, which end before, tell nothing.
    yield* Effect.forkScoped(Effect.schedule(Effect.ignore(noteAndTell), Schedule.spaced(askedEveryMs)))
    let last = { base: clock, shown: clockOf(clock, () => aheadMs) }
    return (work) =>
      Effect.clockWith((base) => {
        if (base === last.shown) return work
        if (base !== last.base) last = { base, shown: clockOf(base, () => aheadMs) }
        return Effect.withClock(work, last.shown)
      })
  })

const byCallersTime: ByDatabaseTime = (work) => work

/** How leases are taken and judged. A SQLite file is used on one machine, whose clock is this process's. */
export class DatabaseTime extends Context.Tag("@sibyl/sql/DatabaseTime")<DatabaseTime, ByDatabaseTime>() {
  static readonly layer: Layer.Layer<DatabaseTime, never, SqlClient> = Layer.scoped(
    DatabaseTime,
    Effect.gen(function* () {
      const sql = yield* SqlClient
      return isPostgres(sql) ? yield* orSqlDefect("preparing the database")(makePostgres(sql)) : byCallersTime
    })
  )

  /** Everything goes by the caller's clock: for tests that turn it by hand. */
  static readonly layerOfCaller: Layer.Layer<DatabaseTime> = Layer.succeed(DatabaseTime, byCallersTime)
}
