/** The audit trail: one row for each change by an operator. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { type AuditDetails, type AuditEntry, AuditTrail } from "@sibyl/core"
import { Clock, Effect, Layer } from "effect"
import { orSqlDefect } from "../database/sqlDefect.ts"
import { transaction } from "../database/transaction.ts"

interface EntryRow {
  readonly entry: number | string
  readonly at_ms: number | string
  readonly changed_by: string
  readonly action: string
  readonly subject: string
  readonly details: string
}

const entryOf = ({ action, at_ms: atMs, changed_by: by, details, entry, subject }: EntryRow): AuditEntry => ({
  entry: Number(entry),
  atMs: Number(atMs),
  by,
  action,
  subject,
  details: JSON.parse(details) as AuditDetails
})

/** Numbered one after another, so that whoever reads what came after an entry misses none; of two writers at once the later one tries again. */
const add = (sql: SqlClient, entry: Omit<AuditEntry, "entry">): Effect.Effect<AuditEntry, SqlError> =>
  Effect.gen(function* () {
    const [last] = yield* sql<{ readonly entry: number | string | null }>`SELECT MAX(entry) AS entry FROM audit_trail`
    const next = Number(last?.entry ?? 0) + 1
    const rows = yield* sql`
      INSERT INTO audit_trail (entry, at_ms, changed_by, action, subject, details)
      VALUES (${next}, ${entry.atMs}, ${entry.by}, ${entry.action}, ${entry.subject}, ${JSON.stringify(entry.details)})
      ON CONFLICT (entry) DO NOTHING RETURNING entry`
    return rows.length > 0 ? { entry: next, ...entry } : yield* add(sql, entry)
  })

/** The trail of a database. Stores whose changes it keeps as one with their entries must be on the same client. */
export const layerSqlAuditTrail: Layer.Layer<AuditTrail, never, SqlClient> = Layer.effect(
  AuditTrail,
  Effect.map(SqlClient, (sql) => ({
    add: (by, change) =>
      Effect.flatMap(Clock.currentTimeMillis, (atMs) =>
        orSqlDefect("keeping a change in the audit trail")(add(sql, { atMs, by, ...change }))
      ),
    asOne: (change) => Effect.flatten(transaction(sql, "keeping a change with its entry", Effect.either(change))),
    after: (entry, amount) =>
      sql<EntryRow>`SELECT * FROM audit_trail WHERE entry > ${entry} ORDER BY entry LIMIT ${amount}`.pipe(
        Effect.map((rows) => rows.map(entryOf)),
        orSqlDefect("reading the audit trail")
      ),
    latest: ({ amount, beforeEntry }) =>
      sql<EntryRow>`
        SELECT * FROM audit_trail WHERE ${beforeEntry === undefined ? sql`entry > 0` : sql`entry < ${beforeEntry}`}
        ORDER BY entry DESC LIMIT ${amount}`.pipe(
        Effect.map((rows) => rows.map(entryOf)),
        orSqlDefect("reading the audit trail")
      )
  }))
)
