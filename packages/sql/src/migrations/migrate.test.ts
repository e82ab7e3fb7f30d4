/** A database of an earlier version is migrated once, with its complete content. */
import { SqlClient } from "@effect/sql/SqlClient"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Reactivity from "@effect/experimental/Reactivity"
import { Directory, Ledger, programIdOf, ProgramStore, ResultStore } from "@sibyl/core"
import { makeHandClock, sampleReport } from "@sibyl/testing"
import { Cause, Effect, type Layer, Logger, Option, Redacted } from "effect"
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { layerTestStoresAt } from "../fixtures/testStores.ts"
import { describeDatabases, type TestDatabase } from "../fixtures/testDatabases.ts"
import { layerPostgresAsItIs, layerSqliteAsItIs } from "../inspectDatabase.ts"
import { layerPostgres } from "../postgres/layerPostgres.ts"
import { listSigningKeys } from "../signingKeys/storedKeys.ts"
import { signingSecret } from "../sqlSigner.ts"
import { newestSchemaVersion } from "./migrate.ts"
import type { MeantDatabase } from "./meantDatabase.ts"
import { layerSqlite } from "../sqlite/layerSqlite.ts"
import { loadDatabaseSync } from "../sqlite/connection/loadDatabaseSync.ts"

/** Opens one for the stores. */
const layerOf = ({ kind }: TestDatabase, place: string, meant: MeantDatabase): Layer.Layer<SqlClient> =>
  kind === "SQLite" ? layerSqlite({ filename: place, ...meant }) : layerPostgres({ url: Redacted.make(place), ...meant })

/** The time in the dumps. */
const atMs = 1_748_781_296_789
const leaseMs = 60_000
const projectId = "1077053c-377b-4684-a5e5-77476b9b8274"
const key = Redacted.make("sibyl_testnet_2bb10689c4c4_8359f30038c7e3abff277f0563d46beeee64217e37a4318b56d69385")
const openHold = { holdId: "d18b1213-e481-4cd8-a643-99a07ea1c22d", projectId, amount: 20n }
const program = Uint8Array.of(0, 97, 115, 109)
const drId = "d1".repeat(32)
const good = sampleReport({ projectId, id: "5f0c9d3e-0001-4000-8000-000000000001", executedAtMs: atMs, total: 3n })
const failed = sampleReport({
  projectId,
  id: "5f0c9d3e-0001-4000-8000-000000000002",
  executedAtMs: atMs + 1,
  total: 4n,
  exitCode: 3
})

const dumpOf = (name: string): string => readFileSync(new URL(`testdata/${name}`, import.meta.url), "utf8")

/** Loads the dump of the first version into an empty database. */
const loadVersion1 = ({ kind }: TestDatabase, place: string): Effect.Effect<void> =>
  kind === "SQLite"
    ? Effect.orDie(
        Effect.map(loadDatabaseSync, (DatabaseSync) => {
          const database = new DatabaseSync(place)
          database.exec(dumpOf("version1.sqlite.sql"))
          database.close()
        })
      )
    : PgClient.make({ url: Redacted.make(place) }).pipe(
        Effect.flatMap((sql) => sql.unsafe(dumpOf("version1.postgres.sql")).unprepared),
        Effect.provide(Reactivity.layer),
        Effect.scoped,
        Effect.orDie
      )

const migrations = Effect.flatMap(
  SqlClient,
  (sql) => sql<{ readonly name: string }>`SELECT migration_id, name FROM migrations ORDER BY migration_id`
)

const columns = Effect.flatMap(SqlClient, (sql) =>
  sql.onDialectOrElse({
    pg: () => sql`SELECT table_name, column_name, data_type FROM information_schema.columns
      WHERE table_schema = 'public' ORDER BY table_name, column_name`,
    orElse: () => sql`SELECT m.name AS table_name, c.name AS column_name, c.type FROM sqlite_master m
      JOIN pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY 1, 2`
  })
)

const holds = Effect.flatMap(SqlClient, (sql) => sql`SELECT hold_id, state FROM holds ORDER BY hold_id`)

/** The migrations, columns and holds of a database that is not opened as one of ours. */
const contentOf = ({ kind }: TestDatabase, place: string) =>
  Effect.all([migrations, columns, holds]).pipe(
    Effect.provide(kind === "SQLite" ? layerSqliteAsItIs({ filename: place }) : layerPostgresAsItIs({ url: Redacted.make(place) }))
  )

const indexes = Effect.flatMap(SqlClient, (sql) =>
  sql.onDialectOrElse({
    pg: () => sql`SELECT indexname AS name FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1`,
    orElse: () => sql`SELECT name FROM sqlite_master WHERE type IN ('index', 'trigger') ORDER BY 1`
  })
)

/**
 * A SQLite file that no other process has open returns orphaned holds when it is opened; on PostgreSQL they last until their lease ends.
 */
const everythingIsThere = Effect.fn(function* (kind: TestDatabase["kind"]) {
  const ledger = yield* Ledger
  const results = yield* ResultStore
  const { project } = yield* (yield* Directory).authenticate(key)
  expect(project).toMatchObject({ projectId, organizationSlug: "acme" })
  expect(project.usageLimit).toEqual({ periodMs: 86_400_000, credits: 500n })
  const held = kind === "SQLite" ? 0n : openHold.amount
  expect(yield* ledger.balance(project)).toEqual({ granted: 100n, used: 7n, held, periodUsed: 7n + held })
  expect(yield* results.last(projectId, good.dataRequest, "success")).toEqual(Option.some(good))
  expect(yield* results.last(projectId, good.dataRequest, "last")).toEqual(Option.some(failed))
  for (const report of [good, failed]) expect(yield* results.find(projectId, report.id)).toEqual(Option.some(report))
  expect(yield* (yield* ProgramStore).get(programIdOf(program))).toEqual(Option.some(program))
  // The key of that version is listed as soon as anything opens the database.
  expect(yield* listSigningKeys).toMatchObject([{ activeFromMs: 0, retiredAtMs: null }])
  expect(Redacted.value(yield* signingSecret)).toHaveLength(32)
  const third = sampleReport({ projectId, id: "5f0c9d3e-0001-4000-8000-000000000003", executedAtMs: atMs, total: 20n })
  const hold = kind === "SQLite" ? yield* ledger.hold(project, 20n, leaseMs) : openHold
  const { timestampMs } = yield* Effect.flip(ledger.settleChosen(hold, third, { drId, timestampMs: atMs, owner: "a server" }))
  expect(timestampMs).toBeGreaterThan(atMs)
  expect(yield* ledger.settle(hold, third)).toEqual({ granted: 100n, used: 27n, held: 0n, periodUsed: 27n })
  expect(yield* results.find(projectId, third.id)).toEqual(Option.some(third))
})

describeDatabases("a database of version 1", (database) => {
  const atThatTime = <A, E>(effect: Effect.Effect<A, E>) => Effect.withClock(effect, makeHandClock(atMs + leaseMs - 1))

  it("is migrated to the schema of a new one, once", () =>
    Effect.gen(function* () {
      const [old, fresh] = [yield* database.create, yield* database.create]
      yield* loadVersion1(database, old)
      for (const look of [migrations, columns, indexes]) {
        const expected = yield* Effect.provide(look, layerTestStoresAt(fresh))
        expect(expected.length).toBeGreaterThan(1)
        expect(yield* Effect.provide(look, layerTestStoresAt(old))).toEqual(expected)
        expect(yield* Effect.provide(look, layerTestStoresAt(old))).toEqual(expected)
      }
    }).pipe(Effect.scoped, Effect.runPromise))

  it("keeps everything that is in it", () =>
    Effect.gen(function* () {
      const place = yield* database.create
      yield* loadVersion1(database, place)
      yield* Effect.provide(everythingIsThere(database.kind), layerTestStoresAt(place))
    }).pipe(Effect.scoped, atThatTime, Effect.runPromise))
})

describeDatabases("a database of version 1", (database) => {
  it("is said to be brought up to date, once", () =>
    Effect.gen(function* () {
      const place = yield* database.create
      yield* loadVersion1(database, place)
      const said: Array<string> = []
      const logger = Logger.make(({ message }) => void said.push(String(message)))
      const opened = Effect.provide(Effect.void, layerOf(database, place, {}))
      yield* Effect.provide(Effect.zipRight(opened, opened), Logger.replace(Logger.defaultLogger, logger))
      expect(said).toEqual([`the database is brought from schema 1 to schema ${newestSchemaVersion}`])
    }).pipe(Effect.scoped, Effect.runPromise))
})

describeDatabases("an empty database where one of Sibyl is meant", (database) => {
  it("is refused", () =>
    Effect.gen(function* () {
      const place = yield* database.create
      const cause = yield* Effect.flip(Effect.sandbox(Effect.provide(Effect.void, layerOf(database, place, { mustExist: true }))))
      expect(Cause.squash(cause)).toMatchObject({ name: "SqlDefect", message: "there is nothing of Sibyl in this database" })
    }).pipe(Effect.scoped, Effect.runPromise))
})

describeDatabases("a database of version 1 of another network", (database) => {
  it("is refused as it is", () =>
    Effect.gen(function* () {
      const place = yield* database.create
      yield* loadVersion1(database, place)
      const before = yield* contentOf(database, place)
      const layer = layerOf(database, place, { network: "mainnet" })
      const cause = yield* Effect.flip(Effect.sandbox(Effect.provide(Effect.void, layer)))
      expect(Cause.squash(cause)).toMatchObject({
        name: "SqlDefect",
        message: "this database is of the network testnet, not of mainnet"
      })
      expect(yield* contentOf(database, place)).toEqual(before)
    }).pipe(Effect.scoped, Effect.runPromise))
})

describeDatabases("a database that cannot be migrated", (database) => {
  it("is refused in the words of the database", () =>
    Effect.gen(function* () {
      const place = yield* database.create
      const forget = Effect.flatMap(SqlClient, (sql) => sql`DELETE FROM migrations WHERE migration_id >= 17`)
      yield* Effect.provide(forget, layerTestStoresAt(place))
      const cause = yield* Effect.flip(Effect.sandbox(Effect.provide(Effect.void, layerTestStoresAt(place))))
      expect(Cause.squash(cause)).toMatchObject({
        name: "SqlDefect",
        message: expect.stringMatching(
          /^opening the database: Migration "17_starts_of_feeds" failed: .*(?:duplicate column|already exists)/
        )
      })
    }).pipe(Effect.scoped, Effect.runPromise))
})
