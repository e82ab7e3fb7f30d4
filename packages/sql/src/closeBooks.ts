/** Writes what was done in open books: few statements, however many books and changes there are. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import type { Book, EnteredReport, StoredHold } from "./book.ts"
import { among, insertRows, type Row, type RowShape } from "./manyRows.ts"
import { keepStorage, type OwnedWrite } from "./sqlProgramStorage.ts"
import { reportRow, reportRows } from "./sqlResultStore.ts"

const holdRows: RowShape = {
  table: "holds",
  columns: ["hold_id", "project_id", "amount", "state", "lease_end_ms", "period_ms", "period_start_ms"]
}

const usageRows: RowShape = {
  table: "usage_periods",
  columns: ["project_id", "period_ms", "period_start_ms", "credits"],
  onConflict: "ON CONFLICT (project_id, period_ms, period_start_ms) DO UPDATE SET credits = excluded.credits"
}

const journalRows: RowShape = {
  table: "journal",
  columns: ["project_id", "entry", "kind", "credits", "hold_id", "at_ms"]
}

const accountRows: RowShape = {
  table: "accounts",
  columns: ["project_id", "granted", "used", "held", "last_entry"],
  onConflict:
    "ON CONFLICT (project_id) DO UPDATE SET granted = excluded.granted, used = excluded.used, held = excluded.held, " +
    "last_entry = excluded.last_entry"
}

const writesOf = ({ report: { dataRequest, projectId }, storage }: EnteredReport): ReadonlyArray<OwnedWrite> =>
  storage.map((write) => ({ ...write, projectId, programId: dataRequest.execProgramId }))

const holdsOf = ({ holds }: Book, ids: ReadonlySet<string>): ReadonlyArray<StoredHold> =>
  [...ids].flatMap((id) => holds.get(id) ?? [])

const holdRow = ({ amount, holdId, leaseEndMs, period, projectId, state }: StoredHold): Row => [
  holdId,
  projectId,
  `${amount}`,
  state,
  leaseEndMs,
  period?.periodMs ?? null,
  period?.startMs ?? null
]

const usageRowsOf = ({ changes, projectId, usage }: Book): ReadonlyArray<Row> =>
  [...changes.periods].flatMap((key) => {
    const used = usage.get(key)
    return used === undefined ? [] : [[projectId, used.period.periodMs, used.period.startMs, `${used.credits}`]]
  })

const journalRowsOf = ({ changes, projectId }: Book): ReadonlyArray<Row> =>
  changes.entries.map(({ atMs, credits, entry, holdId, kind }) => [projectId, entry, kind, `${credits}`, holdId, atMs])

const accountRow = ({ account, lastEntry, projectId }: Book): Row => [
  projectId,
  `${account.granted}`,
  `${account.used}`,
  `${account.held}`,
  lastEntry
]

/** Ids of one statement. */
const mostIds = 256

const markHolds = (sql: SqlClient, holds: ReadonlyArray<StoredHold>, state: "posted" | "voided") => {
  const ids = holds.filter((hold) => hold.state === state).map(({ holdId }) => holdId)
  const parts = Array.from({ length: Math.ceil(ids.length / mostIds) }, (_, at) =>
    ids.slice(at * mostIds, (at + 1) * mostIds)
  )
  return Effect.forEach(
    parts,
    (part) => sql`UPDATE holds SET state = ${state} WHERE ${among(sql, "hold_id", part)}`,
    { discard: true }
  )
}

/** The lease of each, those of one end together: holds that are renewed at one time have one. */
const renewHolds = (sql: SqlClient, holds: ReadonlyArray<StoredHold>) => {
  const byEnd = new Map<number, Array<string>>()
  for (const { holdId, leaseEndMs, state } of holds) {
    if (state === "held") byEnd.set(leaseEndMs, [...(byEnd.get(leaseEndMs) ?? []), holdId])
  }
  return Effect.forEach(
    byEnd,
    ([leaseEndMs, ids]) => sql`UPDATE holds SET lease_end_ms = ${leaseEndMs} WHERE ${among(sql, "hold_id", ids)}`,
    { discard: true }
  )
}

const isChanged = ({ changes: { entries, renewed } }: Book): boolean => entries.length > 0 || renewed.size > 0

/** Writes the changes of the books. */
export const closeBooks = (sql: SqlClient, opened: ReadonlyArray<Book>): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const books = opened.filter(isChanged)
    const taken = books.flatMap((book) => holdsOf(book, book.changes.taken))
    const renewed = books.flatMap((book) => holdsOf(book, book.changes.renewed))
    const resolved = books.flatMap((book) => holdsOf(book, book.changes.resolved))
    const reports = books.flatMap(({ changes }) => changes.reports)
    // The journal names holds, and reports name entries: the named come first.
    yield* insertRows(sql, holdRows, taken.map(holdRow))
    yield* renewHolds(sql, renewed)
    yield* markHolds(sql, resolved, "posted")
    yield* markHolds(sql, resolved, "voided")
    yield* insertRows(sql, usageRows, books.flatMap(usageRowsOf))
    yield* insertRows(sql, journalRows, books.flatMap(journalRowsOf))
    yield* insertRows(sql, accountRows, books.map(accountRow))
    yield* insertRows(sql, reportRows, reports.map(reportRow))
    yield* keepStorage(sql, reports.flatMap(writesOf))
  })
