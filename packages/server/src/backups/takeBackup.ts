/** A copy of the whole database in one file, while servers are running or without one. */
import { statSync } from "node:fs"
import { resolve } from "node:path"
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { resolveOptions } from "@sibyl/core/internal"
import { backUpSqlite, type CopyState, copyStateOf, draftFile, lostContent, newestSchemaVersion, refuseOtherDatabase } from "@sibyl/sql"
import { Clock, Effect } from "effect"
import type { Configuration } from "../config/configuration.ts"
import type { Answer } from "../output/answer.ts"
import { CommandFailed } from "../output/failure.ts"
import { type Progress, shareText } from "../output/progress.ts"
import { serverVersion } from "../output/version.ts"
import { layerDatabaseAsItIs, sqliteFileOf } from "../service/stores.ts"
import { isAt } from "./isAt.ts"
import { completeBackup } from "./backupFile.ts"
import { type DiskFull, orDiskFull } from "./diskFull.ts"
import type { Manifest } from "./manifest.ts"
import { noteBackup } from "./noteCopies.ts"
import { orCommandFailed } from "./orCommandFailed.ts"
import { findTool, runTool } from "./postgresTools.ts"

/** The options of `sibyl backup`. */
export interface BackupOptions {
  readonly withSigningKey: boolean
  readonly progress: Progress
}

/** The first version whose public keys are not lost without their secrets. */
const keyTimesVersion = 13

const refuseSchema = (version: number, { withSigningKey }: BackupOptions): Effect.Effect<void, CommandFailed> => {
  if (version > newestSchemaVersion) {
    return new CommandFailed({ message: `a newer Sibyl has opened this database (schema ${version}): back it up with that one` })
  }
  if (version < keyTimesVersion && !withSigningKey) {
    return new CommandFailed({
      message: `the database has schema ${version}, whose signing key cannot be left out: start this version's server once, or take the backup with --with-signing-key`
    })
  }
  return Effect.void
}

const manifestOf = (
  { service }: Configuration,
  state: CopyState,
  options: BackupOptions,
  takenAtMs: number,
  postgresVersion?: number
): Effect.Effect<Manifest, CommandFailed> => {
  const { reportsPerProject, retentionMs } = resolveOptions(service)
  // Another server may have changed the schema since the database was looked at.
  return Effect.as(refuseSchema(state.schemaVersion, options), {
    format: 1,
    database: postgresVersion === undefined ? "SQLite" : "PostgreSQL",
    ...(postgresVersion === undefined ? {} : { postgresVersion }),
    sibyl: serverVersion,
    schemaVersion: state.schemaVersion,
    network: state.network,
    takenAt: new Date(takenAtMs).toISOString(),
    hasSigningKey: options.withSigningKey && state.hasSigningKey,
    counts: state.counts,
    retentionMs,
    reportsPerProject
  })
}

const complete = (draft: string, manifest: Manifest, progress: Progress): Effect.Effect<void, CommandFailed> =>
  Effect.tryPromise({
    try: (signal) => {
      const { size } = statSync(draft)
      return completeBackup(draft, manifest, (done) => progress(shareText("summing up", done, size)), signal)
    },
    catch: (cause) =>
      new CommandFailed({ message: `the backup cannot be written: ${cause instanceof Error ? cause.message : String(cause)}` })
  })

/** A copy, its size in bytes, and what it says of itself. */
interface Taken {
  readonly manifest: Manifest
  readonly sizeBytes: number
}

const noManifest: Effect.Effect<never> = Effect.dieMessage("a backup without a manifest")

const takeSqlite = (configuration: Configuration, source: string, target: string, options: BackupOptions) =>
  Effect.gen(function* () {
    const takenAtMs = yield* Clock.currentTimeMillis
    let made: Manifest | undefined
    const sizeBytes = yield* backUpSqlite<CommandFailed>(source, target, {
      withSecrets: options.withSigningKey,
      begin: () => options.progress("copying the database"),
      inspect: (ask) =>
        Effect.gen(function* () {
          made = yield* manifestOf(configuration, yield* copyStateOf(ask), options, takenAtMs)
        }),
      finish: (draft) => (made === undefined ? noManifest : complete(draft, made, options.progress))
    })
    return { manifest: made ?? (yield* noManifest), sizeBytes }
  })

/** In a transaction that is never idle for PostgreSQL: its snapshot is lent to pg_dump, and its counts are those of the copy. */
const takePostgres = (
  configuration: Configuration,
  target: string,
  options: BackupOptions
): Effect.Effect<Taken, CommandFailed | SqlError> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const ask = (query: string) => sql.unsafe<Readonly<Record<string, unknown>>>(query)
    const [server] = yield* ask("SELECT current_setting('server_version_num') AS found")
    const postgresVersion = Math.floor(Number(server?.["found"]) / 10_000)
    const program = yield* findTool("pg_dump", postgresVersion)
    const takenAtMs = yield* Clock.currentTimeMillis
    let made: Manifest | undefined
    const fill = (draft: string) =>
      sql.withTransaction(
        Effect.gen(function* () {
          yield* ask("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
          yield* ask("SET LOCAL idle_in_transaction_session_timeout = 0")
          const [snapshot] = yield* ask("SELECT pg_export_snapshot() AS found")
          made = yield* manifestOf(configuration, yield* copyStateOf(ask), options, takenAtMs, postgresVersion)
          options.progress("copying the database")
          const without = options.withSigningKey ? [] : ["--exclude-table-data=signing_keys"]
          const words = ["--format=custom", "--no-owner", "--no-privileges", `--snapshot=${String(snapshot?.["found"])}`, `--file=${draft}`]
          yield* runTool(program, [...words, ...without], configuration.database)
          yield* complete(draft, made, options.progress)
        })
      )
    const sizeBytes = yield* draftFile(target, fill)
    return { manifest: made ?? (yield* noManifest), sizeBytes }
  }).pipe(Effect.provide(layerDatabaseAsItIs(configuration.database)))

/**
 * Before anything is copied. Without anything of Sibyl there is nothing to copy, another network's is not ours, and not every schema is one for
 * this version. A file that has lost its content is not even opened.
 */
const refuseDatabase = ({ database, service }: Configuration, file: string | undefined, options: BackupOptions) => {
  const lost = file === undefined ? undefined : lostContent(file)
  if (lost !== undefined) return new CommandFailed({ message: lost })
  const version = refuseOtherDatabase({ mustExist: true, network: service.network.name })
  return Effect.flatMap(orCommandFailed(Effect.provide(version, layerDatabaseAsItIs(database))), (found) => refuseSchema(found, options))
}

const keyNote = ({ hasSigningKey }: Manifest): string =>
  hasSigningKey
    ? "it holds the secret of the signing key: whoever can read it can sign"
    : "the secret of the signing key is not in it: keep that apart (sibyl signing-key export), or add --with-signing-key"

const answerOf = (file: string, { manifest, sizeBytes }: Taken, whyNotInAuditTrail: string | null): Answer => {
  const { projects, reports } = manifest.counts
  return {
    document: { file, sizeBytes, ...manifest, whyNotInAuditTrail },
    lines: () => [
      `copied to ${file}, ${sizeBytes} bytes (projects: ${projects}, reports: ${reports}); only its owner can read it`,
      keyNote(manifest),
      ...(whyNotInAuditTrail === null ? [] : [`not in the audit trail: ${whyNotInAuditTrail}`])
    ]
  }
}

/**
 * Copies the database of a configuration into a new file that only its owner can read, and adds an entry to the database's audit trail, which
 * the copy is too early to have. Servers may be running.
 */
export const takeBackup = (
  configuration: Configuration,
  wanted: string,
  options: BackupOptions
): Effect.Effect<Answer, CommandFailed | DiskFull> => {
  const source = sqliteFileOf(configuration.database)
  const file = resolve(wanted)
  const taken = source === undefined ? takePostgres(configuration, file, options) : takeSqlite(configuration, source, file, options)
  return Effect.gen(function* () {
    if (source !== undefined && !(yield* isAt(source))) return yield* new CommandFailed({ message: `there is no database at ${source}` })
    yield* refuseDatabase(configuration, source, options)
    const copy = yield* orDiskFull(file)(orCommandFailed(taken))
    return answerOf(file, copy, yield* noteBackup(configuration.database, { file, ...copy }))
  })
}
