/** Brings a copy up to date, audits its books, and returns what the servers of its time had held. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { auditBooks, copyStateOf, damagesOfDatabase, migrate, settleCopy } from "@sibyl/sql"
import { Effect } from "effect"
import type { Progress } from "../output/progress.ts"
import { recoverKey } from "../service/signing/recoverKey.ts"
import type { SoundBackup } from "./backupFile.ts"
import type { Manifest } from "./manifest.ts"
import { noteRestore } from "./noteCopies.ts"

/** What was found in a copy. */
export interface AuditedCopy {
  readonly counts: Manifest["counts"]
  /** Every fault in words; empty if the books hold. */
  readonly faults: ReadonlyArray<string>
  /** Holds of runs that were under way when the copy was taken, and of servers that had reserved in advance; their credits have returned. */
  readonly returnedHolds: number
}

const differences = (found: Manifest["counts"], said: Manifest["counts"]): ReadonlyArray<string> =>
  (["projects", "entries", "reports", "programs"] as const)
    .filter((name) => found[name] !== said[name])
    .map((name) => `${found[name]} ${name} are in the copy, ${said[name]} were written`)

/** The audit. Nobody else uses the copy. A copy that is damaged is not looked at further; one that holds says in its trail that it is one. */
export const auditCopy = (backup: SoundBackup, progress: Progress): Effect.Effect<AuditedCopy, SqlError, SqlClient> =>
  Effect.gen(function* () {
    const { manifest } = backup
    const sql = yield* SqlClient
    const damages = yield* damagesOfDatabase
    if (damages.length > 0) return { counts: manifest.counts, faults: damages.map((damage) => `damaged: ${damage}`), returnedHolds: 0 }
    const state = yield* copyStateOf((query) => sql.unsafe(query))
    yield* migrate
    const audit = yield* auditBooks({
      takenAtMs: Date.parse(manifest.takenAt),
      retentionMs: manifest.retentionMs,
      reportsPerProject: manifest.reportsPerProject ?? Number.POSITIVE_INFINITY,
      recover: recoverKey,
      onProject: (done, all) => progress(`auditing project ${done + 1} of ${all}`)
    })
    const returnedHolds = yield* settleCopy
    const faults = [...differences(state.counts, manifest.counts), ...audit.faults]
    if (faults.length === 0) yield* noteRestore(backup)
    return { counts: state.counts, faults, returnedHolds }
  })
