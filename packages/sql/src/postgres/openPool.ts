/** The connections of this process to PostgreSQL. */
import { SqlError } from "@effect/sql/SqlError"
import { Effect, Redacted, type Scope } from "effect"
import pg from "pg"
import { leaveReadOnly } from "./leaveReadOnly.ts"
import { watchedSocket } from "./watchedSocket.ts"

/** How many connections there are, and how long is waited for them. */
export interface PoolSettings {
  readonly connectTimeoutMs: number
  readonly maxConnections: number
  /** Connections that stay open when idle. */
  readonly minConnections: number
  /** How long a connection may be silent before it is closed; `undefined` for any time. */
  readonly silenceMs: number | undefined
}

/** How long its connections have to close. */
const closingMs = 1_000

/**
 * Opens a pool, closed with the scope, and fails if the database does not answer. Its connections are in pipeline mode: they take statements before
 * those ahead of them are answered, which makes no difference to who waits for each answer.
 */
export const openPool = (
  url: Redacted.Redacted,
  { connectTimeoutMs, maxConnections, minConnections, silenceMs }: PoolSettings
): Effect.Effect<pg.Pool, SqlError, Scope.Scope> => {
  const opened = Effect.sync(() => {
    const pool = new pg.Pool({
      connectionString: Redacted.value(url),
      max: maxConnections,
      min: minConnections,
      connectionTimeoutMillis: connectTimeoutMs,
      application_name: "sibyl",
      pipeline: true,
      ...(silenceMs === undefined ? {} : { stream: () => watchedSocket(silenceMs) })
    })
    // What befalls an idle connection is noticed by whoever takes the next one.
    pool.on("error", () => {})
    leaveReadOnly(pool)
    return pool
  })
  const closed = (pool: pg.Pool) => Effect.timeoutOption(Effect.interruptible(Effect.promise(() => pool.end())), closingMs)
  const asked = (pool: pg.Pool) =>
    Effect.tryPromise({
      try: () => pool.query("SELECT 1"),
      catch: (cause) => new SqlError({ cause, message: "Failed to connect" })
    })
  const tooLate = () => new SqlError({ cause: new Error("Connection timed out"), message: "Connection timed out" })
  return Effect.gen(function* () {
    const pool = yield* Effect.acquireRelease(opened, closed)
    yield* Effect.timeoutFail(asked(pool), { duration: connectTimeoutMs, onTimeout: tooLate })
    return pool
  })
}
