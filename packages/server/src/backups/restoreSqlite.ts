/** Restores the copy of a SQLite file: into a draft, which gets its name only when its books hold. */
import { writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { SqlError } from "@effect/sql/SqlError"
import { draftFile, foldSqliteLog, layerSqliteAsItIs, lostContent, makeFolder } from "@sibyl/sql"
import { Effect } from "effect"
import { CommandFailed } from "../output/failure.ts"
import type { Progress } from "../output/progress.ts"
import { type AuditedCopy, auditCopy } from "./auditCopy.ts"
import { type SoundBackup, writeCopy } from "./backupFile.ts"
import { inTemporaryFolder } from "./temporaryFolder.ts"

const ioFailure = (cause: unknown): CommandFailed =>
  new CommandFailed({ message: `cannot restore: ${cause instanceof Error ? cause.message : String(cause)}` })

const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, CommandFailed> => Effect.tryPromise({ try: work, catch: ioFailure })

/** The books do not hold, so nothing is put in place. */
class Unsound extends Error {
  readonly audited: AuditedCopy
  constructor(audited: AuditedCopy) {
    super("the books of the copy do not hold")
    this.audited = audited
  }
}

/** Fills an empty draft with the copy, and audits it. */
const fill = (backup: SoundBackup, draft: string, progress: Progress): Effect.Effect<AuditedCopy, CommandFailed | SqlError> =>
  Effect.gen(function* () {
    progress("copying the database")
    yield* writeCopy(backup, draft)
    const audited = yield* Effect.provide(auditCopy(backup, progress), layerSqliteAsItIs({ filename: draft }))
    yield* foldSqliteLog(draft)
    return audited
  })

/** Restores into a folder of its own, which is removed again. */
export const trySqlite = (backup: SoundBackup, progress: Progress): Effect.Effect<AuditedCopy, CommandFailed | SqlError> =>
  inTemporaryFolder((folder) => {
    const draft = join(folder, "copy.sqlite")
    return Effect.zipRight(
      attempt(() => writeFile(draft, "", { mode: 0o600 })),
      fill(backup, draft, progress)
    )
  })

/** Restores to `target`, which does not exist yet. If the books do not hold, nothing is left. */
export const restoreSqlite = (
  backup: SoundBackup,
  target: string,
  progress: Progress
): Effect.Effect<AuditedCopy, CommandFailed | SqlError> =>
  Effect.gen(function* () {
    const lost = lostContent(target)
    if (lost !== undefined) return yield* new CommandFailed({ message: lost })
    yield* Effect.try({ try: () => makeFolder(dirname(target)), catch: ioFailure })
    let audited: AuditedCopy | undefined
    const filled = Effect.fn(function* (draft: string) {
      audited = yield* fill(backup, draft, progress)
      if (audited.faults.length > 0) return yield* Effect.fail(new Unsound(audited))
    })
    yield* draftFile(target, filled).pipe(
      Effect.catchIf(
        (error): error is Unsound => error instanceof Unsound,
        () => Effect.void
      )
    )
    return audited ?? (yield* Effect.dieMessage("a restoration without an audit"))
  })
