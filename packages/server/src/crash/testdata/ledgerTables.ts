/** A project's ledger as stored in the database: the journal, and the tables that must agree with it. */
import { ExecutionReport } from "@sibyl/core"
import type { BookedReport, JournalLine, LedgerTables as BookedTables, StoredHold } from "@sibyl/sql"
import { Schema } from "effect"
import { type Read, readTables, type Row } from "./tables.ts"

/** One report: what was charged, and for which inputs. */
export interface StoredReport extends BookedReport {
  /** The inputs of its execution phase as text. */
  readonly inputs: string
}

/** The ledger tables of one project. */
export interface LedgerTables extends BookedTables {
  readonly reports: ReadonlyArray<StoredReport>
}

const decode = Schema.decodeSync(Schema.parseJson(ExecutionReport))

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()

const reportOf = (row: Row): StoredReport => {
  const { cost, dataRequest, dataResult, id } = decode(String(row["body"]))
  return {
    entry: Number(row["entry"]),
    id,
    total: cost.total,
    drId: dataResult.drId,
    timestamp: dataResult.blockTimestamp,
    inputs: text(dataRequest.execInputs)
  }
}

const credits = (row: Row, column: string): bigint => BigInt(String(row[column]))

const lineOf = (row: Row): JournalLine => ({
  entry: Number(row["entry"]),
  kind: row["kind"] as JournalLine["kind"],
  credits: credits(row, "credits"),
  holdId: row["hold_id"] as string | null
})

const holdOf = (row: Row): StoredHold => ({
  holdId: String(row["hold_id"]),
  amount: credits(row, "amount"),
  state: row["state"] as StoredHold["state"],
  leaseEndMs: Number(row["lease_end_ms"]),
  drawn: row["drawn"] === null ? null : credits(row, "drawn")
})

const tablesOf = async (read: Read, account: Row): Promise<LedgerTables> => {
  const projectId = String(account["project_id"])
  const of = `WHERE project_id = '${projectId}'`
  const journal = await read(`SELECT entry, kind, credits, hold_id FROM journal ${of} ORDER BY entry`)
  const holds = await read(`SELECT hold_id, amount, state, lease_end_ms, drawn FROM holds ${of}`)
  const reports = await read(`SELECT entry, body FROM reports ${of} ORDER BY entry`)
  const unanswered = await read(`
    SELECT run_id FROM idempotency_keys ${of} AND status IS NULL
      AND run_id IN (SELECT id FROM reports ${of})`)
  return {
    projectId,
    journal: journal.map(lineOf),
    account: {
      granted: credits(account, "granted"),
      used: credits(account, "used"),
      held: credits(account, "held"),
      lastEntry: Number(account["last_entry"])
    },
    holds: holds.map(holdOf),
    reports: reports.map(reportOf),
    unanswered: unanswered.map((row) => String(row["run_id"]))
  }
}

/** Reads a project's ledger tables while no server writes. */
export const readLedgerTables = (database: string, projectId: string): Promise<LedgerTables> =>
  readTables(database, async (read) => {
    const [account] = await read(`SELECT project_id, granted, used, held, last_entry FROM accounts WHERE project_id = '${projectId}'`)
    if (account === undefined) throw new Error(`no account of ${projectId}`)
    return tablesOf(read, account)
  })
