/** Restores a backup into a new place, or only tries it: either way its bytes are checked and the books of the copy are audited. */
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import type { SqlError } from "@effect/sql/SqlError"
import { newestSchemaVersion } from "@sibyl/sql"
import { Effect, type Redacted } from "effect"
import type { Answer } from "../output/answer.ts"
import { CommandFailed } from "../output/failure.ts"
import type { Paint } from "../output/paint.ts"
import { type Progress, shareText } from "../output/progress.ts"
import { sqliteFileOf } from "../service/stores.ts"
import type { AuditedCopy } from "./auditCopy.ts"
import { type DatabaseKind, readBackup, seemsOf, type SoundBackup } from "./backupFile.ts"
import { type DiskFull, orDiskFull } from "./diskFull.ts"
import { isAt } from "./isAt.ts"
import { orCommandFailed } from "./orCommandFailed.ts"
import { refuseFilled, restorePostgres, tryPostgres } from "./restorePostgres.ts"
import { restoreSqlite, trySqlite } from "./restoreSqlite.ts"

/** What is asked of a restoration. */
export interface RestoreOptions {
  /** The database to restore to; of a check of a PostgreSQL, a database of the server where it is tried. */
  readonly to: Redacted.Redacted
  /** Whether that was asked for: else it is the configured database. */
  readonly isNamed: boolean
  /** Whether it is only tried, in a temporary place. */
  readonly check: boolean
  readonly progress: Progress
}

/** What came of it. */
export interface RestoreOutcome {
  readonly answer: Answer
  /** Whether the books of the copy hold. */
  readonly sound: boolean
}

/** A hold is of a run that was under way, or what a server had set aside for runs to come. */
const returnedText = (holds: number): string =>
  holds === 1
    ? "1 hold, of credits that a run or a server had reserved, has returned"
    : `${holds} holds, of credits that runs or servers had reserved, have returned`

const outcomeOf = (backup: SoundBackup, { check }: RestoreOptions, where: string | undefined, audited: AuditedCopy): RestoreOutcome => {
  const { counts, faults, returnedHolds } = audited
  const sound = faults.length === 0
  const { hasSigningKey, network, schemaVersion, sibyl, takenAt } = backup.manifest
  const verdict = sound ? "the books hold, and every report's signature is right" : `${faults.length} faults`
  // Of PostgreSQL, what was restored stays for whoever looks into the faults.
  const kept = sound ? `restored to ${where ?? ""}` : `not to be served: ${where === undefined ? "nothing was put in place" : where}`
  const keyLine = hasSigningKey
    ? []
    : ["the signing key is not in it: put it back before a server starts (sibyl signing-key import FILE), or replace it"]
  const lines = (paint: Paint) => [
    `backup of ${takenAt}, network ${network}, by Sibyl ${sibyl}, schema ${schemaVersion}`,
    `projects: ${counts.projects}, entries: ${counts.entries}, reports: ${counts.reports}, programs: ${counts.programs}`,
    ...faults.map((fault) => paint("red", fault)),
    paint(sound ? "green" : "red", verdict),
    ...(returnedHolds === 0 ? [] : [returnedText(returnedHolds)]),
    ...(check ? [] : [kept]),
    ...keyLine
  ]
  const document = { file: backup.file, check, sound, ...backup.manifest, counts, faults, returnedHolds, restoredTo: where ?? null }
  return { answer: { document, lines }, sound }
}

/** Restores replace nothing: neither a file nor what is in a database of PostgreSQL. */
const refuseExisting = (to: Redacted.Redacted): Effect.Effect<void, CommandFailed> => {
  const target = sqliteFileOf(to)
  if (target === undefined) return orCommandFailed(refuseFilled(to))
  const there = new CommandFailed({ message: `${resolve(target)} is there already: restore to another path, or move it away` })
  return Effect.flatMap(isAt(target), (isThere) => (isThere ? there : Effect.void))
}

const placeOf = (to: Redacted.Redacted, database: DatabaseKind): Effect.Effect<string | undefined, CommandFailed> => {
  const target = sqliteFileOf(to)
  if ((target === undefined) !== (database === "PostgreSQL")) {
    return new CommandFailed({
      message: `the backup is of a ${database} database: name one of that kind with --to, as in ${database === "SQLite" ? "sqlite:PATH" : "postgres://USER@HOST/EMPTY"}`
    })
  }
  return Effect.succeed(target === undefined ? undefined : resolve(target))
}

/** Told before the backup is read, which takes as long as it is large. */
const refusePlace = (file: string, { check, to }: RestoreOptions): Effect.Effect<void, CommandFailed> =>
  Effect.gen(function* () {
    const seems = yield* seemsOf(file)
    // A check of a SQLite backup has a place of its own.
    if (seems !== undefined && !(check && seems === "SQLite")) yield* placeOf(to, seems)
    if (!check) yield* refuseExisting(to)
  })

const noPlaceWanted = new CommandFailed({
  message: "the backup is of a SQLite database, which --check restores into a temporary folder, below TMPDIR: leave --to out"
})

const carryOut = (backup: SoundBackup, options: RestoreOptions): Effect.Effect<RestoreOutcome, CommandFailed | DiskFull | SqlError> =>
  Effect.gen(function* () {
    const { check, isNamed, progress, to } = options
    if (check && backup.manifest.database === "SQLite") {
      if (isNamed) return yield* noPlaceWanted
      const tried = orDiskFull(join(tmpdir(), "sibyl-restore"))(orCommandFailed(trySqlite(backup, progress)))
      return outcomeOf(backup, options, undefined, yield* tried)
    }
    const target = yield* placeOf(to, backup.manifest.database)
    if (check) return outcomeOf(backup, options, undefined, yield* tryPostgres(backup, to, progress))
    if (target === undefined) return outcomeOf(backup, options, "the PostgreSQL database", yield* restorePostgres(backup, to, progress))
    const audited = yield* orDiskFull(target)(orCommandFailed(restoreSqlite(backup, target, progress)))
    return outcomeOf(backup, options, audited.faults.length === 0 ? target : undefined, audited)
  })

/** Checks the bytes of a backup, restores it, and audits the books. */
export const restoreBackup = (wanted: string, options: RestoreOptions): Effect.Effect<RestoreOutcome, CommandFailed | DiskFull> =>
  Effect.gen(function* () {
    const file = resolve(wanted)
    if (!(yield* isAt(file))) return yield* new CommandFailed({ message: `there is no backup at ${file}` })
    yield* refusePlace(file, options)
    const backup = yield* readBackup(file, (done, all) => options.progress(shareText("checking the file", done, all)))
    const { schemaVersion } = backup.manifest
    if (schemaVersion > newestSchemaVersion) {
      return yield* new CommandFailed({
        message: `the backup is of a newer Sibyl (its schema has version ${schemaVersion}, this one knows ${newestSchemaVersion}): update this one`
      })
    }
    return yield* orCommandFailed(carryOut(backup, options))
  })
