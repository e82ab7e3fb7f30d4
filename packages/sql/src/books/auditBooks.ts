/** Audits the books of a whole database that nobody else uses: balances, holds, charges, idempotency, signatures. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { type EntryKind, programIdOf } from "@sibyl/core"
import { Effect } from "effect"
import { orSqlDefect } from "../database/sqlDefect.ts"
import { decodeReport } from "../runs/reportBody.ts"
import { anyReplaced } from "../runs/sqlRetention.ts"
import { readKeys } from "../signingKeys/keyRows.ts"
import { LedgerAudit } from "./auditLedger.ts"
import type { BookedReport, JournalLine, KeptBeside, StoredHold } from "./ledgerTables.ts"
import { ReportCheck, type RecoverKey } from "./reportCheck.ts"

/** What was looked at, and what is wrong. */
export interface BooksAudit {
  readonly projects: number
  readonly entries: number
  readonly reports: number
  readonly programs: number
  /** Every fault in words, the first hundred of each project. No report's content is in them. */
  readonly faults: ReadonlyArray<string>
}

/** Options of the audit. */
export interface BooksOptions {
  /** When the books were like this, in milliseconds since the Unix epoch. */
  readonly takenAtMs: number
  /** How long the servers that wrote them kept reports; charges before that may lack theirs. `null`: for ever. */
  readonly retentionMs: number | null
  /** Reports of one project that they kept. */
  readonly reportsPerProject: number
  /** Recovers the compressed key that signed a digest; by default core's own. */
  readonly recover?: RecoverKey
  /** Told of each project before it is looked at. */
  readonly onProject?: (done: number, all: number) => void
}

type Stored = number | string

interface Row {
  readonly [column: string]: unknown
}

const linesOfPage = 2_000

/** A missing report is no matter of retention if the charge is younger than this, unless reports are kept for less. */
const surelyKeptMs = 600_000

const credits = (row: Row, column: string): bigint => BigInt(String(row[column]))

const lineOf = (row: Row): JournalLine => ({
  entry: Number(row["entry"]),
  kind: row["kind"] as EntryKind,
  credits: credits(row, "credits"),
  holdId: row["hold_id"] as string | null,
  atMs: Number(row["at_ms"])
})

const holdOf = (row: Row): StoredHold => ({
  holdId: String(row["hold_id"]),
  amount: credits(row, "amount"),
  state: "held",
  leaseEndMs: Number(row["lease_end_ms"]),
  drawn: row["drawn"] === null ? null : credits(row, "drawn")
})

const besideOf = (sql: SqlClient, projectId: string): Effect.Effect<KeptBeside | undefined, SqlError> =>
  Effect.gen(function* () {
    const [account] = yield* sql<Row>`SELECT granted, used, held, last_entry FROM accounts WHERE project_id = ${projectId}`
    if (account === undefined) return undefined
    const holds = yield* sql<Row>`
      SELECT hold_id, amount, lease_end_ms, drawn FROM holds WHERE project_id = ${projectId} AND state = 'held'`
    const unanswered = yield* sql<Row>`
      SELECT run_id FROM idempotency_keys WHERE project_id = ${projectId} AND status IS NULL
        AND run_id IN (SELECT id FROM reports WHERE project_id = ${projectId})`
    return {
      account: {
        granted: credits(account, "granted"),
        used: credits(account, "used"),
        held: credits(account, "held"),
        lastEntry: Number(account["last_entry"])
      },
      holds: holds.map(holdOf),
      unanswered: unanswered.map((row) => String(row["run_id"]))
    }
  })

interface ReportRow {
  readonly entry: Stored
  readonly id: string
  readonly body: string
}

/** A row that cannot be read is a fault, never an error. */
const bookedReport = ({ body, entry, id }: ReportRow, audit: LedgerAudit, check: ReportCheck): ReadonlyArray<BookedReport> => {
  try {
    const report = decodeReport(body)
    for (const fault of check.faultsOf(report)) audit.fault(`report of entry ${entry}: ${fault}`)
    if (report.id !== id) audit.fault(`report of entry ${entry}: its row has another id`)
    return [
      {
        entry: Number(entry),
        id: report.id,
        total: report.cost.total,
        drId: report.dataResult.drId,
        timestamp: report.dataResult.blockTimestamp
      }
    ]
  } catch {
    audit.fault(`report of entry ${entry}: it cannot be read`)
    return []
  }
}

interface ProjectCount {
  readonly faults: ReadonlyArray<string>
  readonly entries: number
  readonly reports: number
}

const auditProject = (
  sql: SqlClient,
  projectId: string,
  options: BooksOptions,
  check: ReportCheck
): Effect.Effect<ProjectCount, SqlError> =>
  Effect.gen(function* () {
    const beside = yield* besideOf(sql, projectId)
    if (beside === undefined) return { faults: [`project ${projectId}: it has no account`], entries: 0, reports: 0 }
    const [counted] = yield* sql<{ n: Stored }>`SELECT COUNT(*) AS n FROM reports WHERE project_id = ${projectId}`
    const count = Number(counted?.n ?? 0)
    const keptForMs = Math.min(surelyKeptMs, options.retentionMs ?? Number.POSITIVE_INFINITY)
    // Where the share of a project is full, also young reports may have gone.
    const audit = new LedgerAudit(count < options.reportsPerProject ? options.takenAtMs - keptForMs : Number.POSITIVE_INFINITY)
    let [entries, reports, last] = [0, 0, 0]
    for (;;) {
      const lines = (yield* sql<Row>`
        SELECT entry, kind, credits, hold_id, at_ms FROM journal WHERE project_id = ${projectId} AND entry > ${last}
        ORDER BY entry LIMIT ${linesOfPage}`).map(lineOf)
      const next = lines.at(-1)?.entry
      if (next === undefined) break
      const rows = yield* sql<ReportRow>`
        SELECT entry, id, body FROM reports WHERE project_id = ${projectId} AND entry > ${last} AND entry <= ${next} ORDER BY entry`
      audit.take(
        lines,
        rows.flatMap((row) => bookedReport(row, audit, check))
      )
      entries += lines.length
      reports += rows.length
      last = next
    }
    if (reports !== count) audit.fault(`${count} reports are there, ${reports} belong to entries`)
    const gone = audit.unreported
    if (gone !== undefined && (yield* anyReplaced(sql, projectId, gone.entry, gone.atMs - surelyKeptMs))) {
      audit.fault(`the charge of entry ${gone.entry} has no report, although older ones that retention would have taken first are there`)
    }
    return { faults: audit.end(beside).map((fault) => `project ${projectId}: ${fault}`), entries, reports }
  })

const programFaults = (sql: SqlClient): Effect.Effect<{ readonly programs: number; readonly faults: ReadonlyArray<string> }, SqlError> =>
  Effect.gen(function* () {
    const ids = yield* sql<{ program_id: string }>`SELECT program_id FROM programs ORDER BY program_id`
    const faults = yield* Effect.forEach(ids, ({ program_id }) =>
      Effect.map(sql<{ bytes: Uint8Array }>`SELECT bytes FROM programs WHERE program_id = ${program_id}`, ([row]) =>
        row !== undefined && programIdOf(Uint8Array.from(row.bytes)) === program_id ? [] : [`program ${program_id}: its bytes are others`]
      )
    )
    return { programs: ids.length, faults: faults.flat() }
  })

/** Rows that refer to nothing; PostgreSQL lets none in. */
const brokenReferences = (sql: SqlClient): Effect.Effect<ReadonlyArray<string>, SqlError> =>
  sql.onDialectOrElse({
    pg: () => Effect.succeed([]),
    orElse: () =>
      Effect.map(sql<{ readonly table: string }>`PRAGMA foreign_key_check`, (rows) =>
        [...new Set(rows.map(({ table }) => table))].map((table) => `rows of ${table} refer to nothing`)
      )
  })

/** The audit. The database has the newest schema, and no server uses it. */
export const auditBooks = (options: BooksOptions): Effect.Effect<BooksAudit, never, SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const check = new ReportCheck(yield* readKeys(sql), options.recover)
    const projects = yield* sql<{ project_id: string }>`SELECT project_id FROM projects ORDER BY project_id`
    const counts = yield* Effect.forEach(projects, ({ project_id }, at) => {
      options.onProject?.(at, projects.length)
      return auditProject(sql, project_id, options, check)
    })
    const { faults, programs } = yield* programFaults(sql)
    const broken = yield* brokenReferences(sql)
    return {
      projects: projects.length,
      entries: counts.reduce((sum, { entries }) => sum + entries, 0),
      reports: counts.reduce((sum, { reports }) => sum + reports, 0),
      programs,
      faults: [...broken, ...counts.flatMap((count) => count.faults), ...faults]
    }
  }).pipe(orSqlDefect("auditing the books"))
