/** PostgreSQL, which several servers can share, ready for the stores. */
import * as Reactivity from "@effect/experimental/Reactivity"
import { SqlClient } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Layer, Redacted, type Scope } from "effect"
import { runningProcedures } from "../database/procedure.ts"
import type { MeantDatabase } from "../migrations/meantDatabase.ts"
import { prepareSchema } from "../migrations/prepareSchema.ts"
import { orSqlDefect } from "../database/sqlDefect.ts"
import { defaultConnections, leastConnections } from "./connectionCounts.ts"
import { connectionLimit } from "./grantedConnections.ts"
import { openPool, type PoolSettings } from "./openPool.ts"
import { tryInPipeline } from "./pipelinedTransaction.ts"
import { postgresAddressFault } from "./postgresAddress.ts"

/** The location and the connections of the database. */
export interface PostgresOptions extends MeantDatabase {
  /**
   * `postgres://user:password@host:port/database`, with the driver's settings as its query (`sslmode`,
   * `idle_in_transaction_session_timeout` in milliseconds, ...). The database must exist; its tables are created.
   */
  readonly url: Redacted.Redacted
  /** Maximum connections of this process, by default 10, at least 2. Every server has its own. */
  readonly maxConnections?: number
  /** Connections that stay open when idle, by default 1. */
  readonly minConnections?: number
  /** How long to wait for a connection, by default 5,000 ms; then the work that needs it fails. */
  readonly connectTimeoutMs?: number
  /** How long a connection may be silent before it is closed, by default 10,000 ms. */
  readonly silenceMs?: number
}

const checked = (url: Redacted.Redacted): Effect.Effect<Redacted.Redacted, SqlError> => {
  const message = postgresAddressFault(Redacted.value(url))
  return message === undefined ? Effect.succeed(url) : new SqlError({ message, cause: undefined })
}

const idleSetting = "idle_in_transaction_session_timeout"

/**
 * The address, with a bound for transactions in which a server says nothing: one that is frozen within a transaction would keep its locks,
 * and every other server waiting for them, for as long as it sleeps. Ours never pause. What the address says itself stays.
 */
const boundingIdleTransactions = (url: Redacted.Redacted): Redacted.Redacted => {
  const address = new URL(Redacted.value(url))
  if (address.searchParams.has(idleSetting)) return url
  address.searchParams.set(idleSetting, `${idleTransactionMs}`)
  return Redacted.make(address.href)
}

/** The driver takes them for `verify-full`, and says on standard error of every command that its next major version will not. */
const weakerModes: ReadonlySet<string | null> = new Set(["prefer", "require", "verify-ca"])

/** The address, in which every way to ask for TLS asks for a certificate that is trusted and of the host's name. */
const trustingNoOther = (url: Redacted.Redacted): Redacted.Redacted => {
  const address = new URL(Redacted.value(url))
  if (address.searchParams.has("uselibpqcompat") || !weakerModes.has(address.searchParams.get("sslmode"))) return url
  address.searchParams.set("sslmode", "verify-full")
  return Redacted.make(address.href)
}

/** As many connections as PostgreSQL grants, where those are fewer: it would refuse those beyond, and with each the work that wants it. */
const notMoreThanGranted = (sql: SqlClient, wanted: number): Effect.Effect<number, SqlError> =>
  Effect.flatMap(connectionLimit(sql), (granted = wanted) => {
    if (granted >= wanted) return Effect.succeed(wanted)
    const line = `PostgreSQL grants this user ${granted} connections in all, fewer than the ${wanted} that are configured: no more are made`
    return Effect.as(Effect.logWarning(line), Math.max(leastConnections, granted))
  })

/** Longer than any stall of a healthy server, shorter than the lease of a feed. */
const idleTransactionMs = 2_000

const settingsOf = ({
  connectTimeoutMs = 5_000,
  maxConnections = defaultConnections,
  minConnections = 1,
  silenceMs
}: PostgresOptions): PoolSettings => ({
  connectTimeoutMs,
  maxConnections: Math.max(leastConnections, maxConnections),
  minConnections,
  silenceMs
})

/**
 * Connects, and does nothing else. Without `silenceMs` it waits for a silent database. The driver's own types are not exposed, so that
 * embedders need not install them.
 */
export const connectPostgres = (options: PostgresOptions): Effect.Effect<SqlClient, SqlError, Scope.Scope | Reactivity.Reactivity> =>
  Effect.flatMap(checked(options.url), (url) =>
    Effect.flatMap(openPool(boundingIdleTransactions(trustingNoOther(url)), settingsOf(options)), (pool) =>
      Effect.map(PgClient.fromPool({ acquire: Effect.succeed(pool) }), (client) =>
        runningProcedures(client, { tryOnce: (plan) => tryInPipeline(pool, plan) })
      )
    )
  )

/**
 * Connects and migrates the schema; servers that start at once take turns. Holds that a crash left behind return when their lease ends,
 * because other servers may be using this database. Its failures are defects that never contain the password.
 */
export const layerPostgres = (options: PostgresOptions): Layer.Layer<SqlClient> =>
  Layer.scoped(
    SqlClient,
    Effect.gen(function* () {
      // Migrating a large table may take long, and so may waiting for another server that does.
      const alone = connectPostgres({ ...options, maxConnections: leastConnections })
      const ready = (client: SqlClient) =>
        Effect.zipRight(
          Effect.provideService(prepareSchema(options), SqlClient, client),
          notMoreThanGranted(client, options.maxConnections ?? defaultConnections)
        )
      const maxConnections = yield* Effect.scoped(Effect.flatMap(alone, ready))
      return yield* connectPostgres({ silenceMs: 10_000, ...options, maxConnections })
    }).pipe(orSqlDefect("opening the database"))
  ).pipe(Layer.provide(Reactivity.layer))
