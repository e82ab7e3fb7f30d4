/** Restores an archive of pg_dump into an empty PostgreSQL database, or into one that is made for the check and dropped again. */
import { randomBytes } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { layerPostgresAsItIs } from "@sibyl/sql"
import { Effect, Redacted } from "effect"
import { CommandFailed } from "../output/failure.ts"
import type { Progress } from "../output/progress.ts"
import { type AuditedCopy, auditCopy } from "./auditCopy.ts"
import { type SoundBackup, writeCopy } from "./backupFile.ts"
import { type DiskFull, orDiskFull } from "./diskFull.ts"
import { databaseName, findTool, runTool } from "./postgresTools.ts"
import { inTemporaryFolder } from "./temporaryFolder.ts"

const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, CommandFailed> =>
  Effect.tryPromise({
    try: work,
    catch: (cause) => new CommandFailed({ message: `cannot restore: ${cause instanceof Error ? cause.message : String(cause)}` })
  })

/** The archive alone, in a folder that only its owner can enter. */
const withArchive = <A, E>(backup: SoundBackup, use: (archive: string) => Effect.Effect<A, E>) =>
  inTemporaryFolder((folder) =>
    Effect.gen(function* () {
      const archive = join(folder, "copy.dump")
      yield* attempt(() => writeFile(archive, "", { mode: 0o600 }))
      yield* orDiskFull(archive)(writeCopy(backup, archive))
      return yield* use(archive)
    })
  )

const onDatabase = <A, E>(address: Redacted.Redacted, work: Effect.Effect<A, E, SqlClient>): Effect.Effect<A, E> =>
  Effect.provide(work, layerPostgresAsItIs({ url: address, maxConnections: 2 }))

const versionOf = Effect.flatMap(SqlClient, (sql) =>
  Effect.map(sql<{ found: string }>`SELECT current_setting('server_version_num') AS found`, ([row]) =>
    Math.floor(Number(row?.found) / 10_000)
  )
)

const tablesOf = Effect.flatMap(SqlClient, (sql) =>
  Effect.map(
    sql<{ found: string }>`SELECT COUNT(*) AS found FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    ([row]) => Number(row?.found)
  )
)

/** Refuses a database with any table in it. */
export const refuseFilled = (to: Redacted.Redacted): Effect.Effect<void, CommandFailed | SqlError> =>
  Effect.flatMap(onDatabase(to, tablesOf), (tables) =>
    tables === 0 ? Effect.void : new CommandFailed({ message: `the database ${databaseName(to)} is not empty: restore into a new one` })
  )

/** Restores into an empty database, in one transaction, and audits what is there then. */
export const restorePostgres = (
  backup: SoundBackup,
  to: Redacted.Redacted,
  progress: Progress
): Effect.Effect<AuditedCopy, CommandFailed | DiskFull | SqlError> =>
  Effect.gen(function* () {
    yield* refuseFilled(to)
    const version = yield* onDatabase(to, versionOf)
    const made = backup.manifest.postgresVersion ?? version
    if (version < made) {
      return yield* new CommandFailed({
        message: `the backup is of PostgreSQL ${made}, this server is ${version}: an older one cannot take it`
      })
    }
    const program = yield* findTool("pg_restore", version)
    progress("restoring the database")
    const words = ["--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction", `--dbname=${databaseName(to)}`]
    yield* withArchive(backup, (archive) => runTool(program, [...words, archive], to))
    return yield* onDatabase(to, auditCopy(backup, progress))
  })

const besideOf = (address: Redacted.Redacted, name: string): Redacted.Redacted => {
  const url = new URL(Redacted.value(address))
  url.pathname = `/${name}`
  return Redacted.make(url.href)
}

/** Restores into a database that is made beside `near`, and dropped again. */
export const tryPostgres = (
  backup: SoundBackup,
  near: Redacted.Redacted,
  progress: Progress
): Effect.Effect<AuditedCopy, CommandFailed | DiskFull | SqlError> => {
  const name = `sibyl_check_${randomBytes(6).toString("hex")}`
  const make = Effect.mapError(
    Effect.flatMap(SqlClient, (sql) => sql`CREATE DATABASE ${sql(name)}`.unprepared),
    (error) =>
      new CommandFailed({
        message: `cannot make a database for the check (${error.message}): its user needs CREATEDB, or restore into an empty one with --to`
      })
  )
  const drop = Effect.flatMap(SqlClient, (sql) => Effect.orDie(sql`DROP DATABASE IF EXISTS ${sql(name)} WITH (FORCE)`.unprepared))
  return Effect.acquireUseRelease(
    onDatabase(near, make),
    () => restorePostgres(backup, besideOf(near, name), progress),
    () => onDatabase(near, drop)
  )
}
