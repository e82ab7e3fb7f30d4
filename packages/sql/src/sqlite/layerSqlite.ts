/** The embedded database: one SQLite file, ready for the stores. */
import * as Reactivity from "@effect/experimental/Reactivity"
import { SqlClient } from "@effect/sql/SqlClient"
import { Freshness } from "@sibyl/core"
import { Context, Effect, Layer } from "effect"
import { voidOrphanedHolds } from "../ledger/expiredHolds.ts"
import type { MeantDatabase } from "../migrations/meantDatabase.ts"
import { prepareSchema } from "../migrations/prepareSchema.ts"
import { lapseOrphanedClaims } from "../runs/sqlIdempotency.ts"
import { orSqlDefect } from "../database/sqlDefect.ts"
import { namingFile, namingFullDisk } from "./fileFault.ts"
import { keepPrivate, makePrivateFile } from "./privateFile.ts"
import { whenSoleOwner } from "./soleOwner.ts"
import { openSqlite } from "./sqliteClient.ts"
import { SharedWriter } from "./writer/sharedWriter.ts"
import type { ConnectWriter } from "./writer/writerLink.ts"
import { writingBeside } from "./writingBeside.ts"

const defaultPatienceMs = 5_000

/** One writer for several processes that have this file open. */
export const shareSqliteWriter = (filename: string): SharedWriter => new SharedWriter({ filename, patienceMs: defaultPatienceMs })

/** The location of the database. */
export interface SqliteOptions extends MeantDatabase {
  /** Created if it is missing, with its folder, and readable by its owner only. `:memory:` ends with the layer. */
  readonly filename: string
  /** How long to wait for another process's transaction, by default 5,000 ms. */
  readonly busyTimeoutMs?: number
  /** How the one that writes is reached; by default a thread of this process. */
  readonly connectWriter?: ConnectWriter | undefined
}

/**
 * Opens the file, migrates its schema and returns the holds and idempotency keys that a crash left behind: at once if no other process has
 * the file open, otherwise each when its lease ends. Its failures are defects.
 */
export const layerSqlite = ({
  busyTimeoutMs = defaultPatienceMs,
  connectWriter,
  filename,
  mustExist,
  network
}: SqliteOptions): Layer.Layer<SqlClient | Freshness> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const isFile = filename !== ":memory:"
      if (isFile) yield* makePrivateFile(filename)
      const sqlite = yield* openSqlite({ filename, busyTimeoutMs })
      const tidy = Effect.zipRight(voidOrphanedHolds, lapseOrphanedClaims)
      const recover = Effect.zipRight(prepareSchema({ network, mustExist }), whenSoleOwner(sqlite, tidy))
      yield* Effect.provideService(recover, SqlClient, sqlite.client)
      if (isFile) yield* keepPrivate(filename)
      // A database in memory belongs to its only connection.
      const client = isFile ? yield* writingBeside(sqlite, { filename, patienceMs: busyTimeoutMs, connect: connectWriter }) : sqlite.client
      return Context.make(SqlClient, client).pipe(Context.add(Freshness, { version: sqlite.version.read, settings: sqlite.settings }))
    }).pipe(Effect.mapError(namingFile(filename)), Effect.mapError(namingFullDisk(filename)), orSqlDefect("opening the database"))
  ).pipe(Layer.provide(Reactivity.layer))
