/** The entries of backups and restorations in the audit trail. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { AuditTrail, type AuditedChange } from "@sibyl/core"
import { layerSqlAuditTrail } from "@sibyl/sql"
import { Effect, type Redacted } from "effect"
import { operator } from "../service/operator.ts"
import { layerDatabaseAsItIs } from "../service/stores.ts"
import type { SoundBackup } from "./backupFile.ts"
import type { Manifest } from "./manifest.ts"
import { orCommandFailed } from "./orCommandFailed.ts"

/** The first schema with an audit trail. A database is copied as it is, so an older one has none. */
const auditTrailVersion = 15

const add = (change: AuditedChange): Effect.Effect<void, SqlError, SqlClient> =>
  Effect.flatMap(AuditTrail, (trail) => trail.add(operator(), change)).pipe(Effect.asVoid, Effect.provide(layerSqlAuditTrail))

/**
 * Adds an entry to the database that was copied, after the copy is complete, and answers why there is none: a backup is good without it,
 * and a database that cannot be written may be just what is copied.
 */
export const noteBackup = (
  database: Redacted.Redacted,
  { file, manifest, sizeBytes }: { readonly file: string; readonly manifest: Manifest; readonly sizeBytes: number }
): Effect.Effect<string | null> => {
  const { hasSigningKey, schemaVersion } = manifest
  if (schemaVersion < auditTrailVersion) return Effect.succeed(`the database has schema ${schemaVersion}, which keeps no audit trail`)
  const entry = add({ action: "database.backup", subject: file, details: { sizeBytes, hasSigningKey } })
  return Effect.match(orCommandFailed(Effect.provide(entry, layerDatabaseAsItIs(database))), {
    onFailure: ({ message }) => message,
    onSuccess: () => null
  })
}

/** Adds an entry to the restored database, which is brought up to date. */
export const noteRestore = ({ file, manifest }: SoundBackup): Effect.Effect<void, SqlError, SqlClient> =>
  add({ action: "database.restore", subject: file, details: { takenAt: manifest.takenAt, hasSigningKey: manifest.hasSigningKey } })
