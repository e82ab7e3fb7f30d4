/** What a backup says about itself. */
import { Schema } from "effect"

const Count = Schema.Int.pipe(Schema.nonNegative())

/** The manifest at the end of a backup file. It names no secret. */
export const Manifest = Schema.Struct({
  /** The version of this form. */
  format: Schema.Literal(1),
  database: Schema.Literal("SQLite", "PostgreSQL"),
  /** The major version of the PostgreSQL that it is from. */
  postgresVersion: Schema.optional(Count),
  /** The version of Sibyl that made it. */
  sibyl: Schema.String,
  /** The number of the database's last migration. */
  schemaVersion: Count,
  network: Schema.String,
  /** ISO 8601, UTC. */
  takenAt: Schema.String,
  hasSigningKey: Schema.Boolean,
  /** Rows by table, where the audit counts them. */
  counts: Schema.Struct({ projects: Count, entries: Count, reports: Count, programs: Count }),
  /** How the servers kept reports, as the configuration of the backup says; `null`: for ever. */
  retentionMs: Schema.NullOr(Count),
  reportsPerProject: Schema.NullOr(Count)
})

/** The manifest of a backup. */
export type Manifest = Schema.Schema.Type<typeof Manifest>
