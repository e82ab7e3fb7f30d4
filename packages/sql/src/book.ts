/** A project's account while one transaction works on it, with the journal entries that the transaction adds. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { type Account, StoreDefect } from "@sibyl/core"
import { Effect } from "effect"
import { forUpdate } from "./transaction.ts"

/** What happened to credits: granted, put aside, used, returned, or returned because the lease was over. */
export type EntryKind = "grant" | "hold" | "post" | "void" | "expire"

/** One line of the append-only journal. `entry` counts up from 1 within a project. */
export interface JournalEntry {
  readonly entry: number
  readonly kind: EntryKind
  readonly credits: bigint
  readonly holdId: string | null
}

/** An account and what was entered since it was opened. */
export interface Book {
  readonly projectId: string
  readonly account: Account
  readonly lastEntry: number
  readonly entries: ReadonlyArray<JournalEntry>
}

interface AccountRow {
  readonly granted: string
  readonly used: string
  readonly held: string
  readonly last_entry: number | string
}

/** The account of a new project. */
export const createAccount = (sql: SqlClient, projectId: string): Effect.Effect<void, SqlError> =>
  Effect.asVoid(
    sql`INSERT INTO accounts (project_id, granted, used, held, last_entry) VALUES (${projectId}, '0', '0', '0', 0)`
  )

/** Reads an account and locks it for this transaction: every change of a project's credits goes through here. */
export const openBook = (sql: SqlClient, projectId: string): Effect.Effect<Book, SqlError> =>
  Effect.flatMap(
    sql<AccountRow>`
      SELECT granted, used, held, last_entry FROM accounts WHERE project_id = ${projectId} ${forUpdate(sql)}`,
    ([row]) =>
      row === undefined
        ? Effect.die(new StoreDefect(`project ${projectId} does not exist`))
        : Effect.succeed({
            projectId,
            account: { granted: BigInt(row.granted), used: BigInt(row.used), held: BigInt(row.held) },
            lastEntry: Number(row.last_entry),
            entries: []
          })
  )

/** The book after one more entry, which leaves `account`. */
export const enter = (book: Book, entry: Omit<JournalEntry, "entry">, account: Account): Book => ({
  projectId: book.projectId,
  account,
  lastEntry: book.lastEntry + 1,
  entries: [...book.entries, { ...entry, entry: book.lastEntry + 1 }]
})

/** Writes the account and its new entries; nothing when there are none. */
export const closeBook = (sql: SqlClient, book: Book, atMs: number): Effect.Effect<void, SqlError> => {
  if (book.entries.length === 0) return Effect.void
  const { account, entries, lastEntry, projectId } = book
  const rows = entries.map(({ credits, entry, holdId, kind }) => ({
    project_id: projectId,
    entry,
    kind,
    credits: `${credits}`,
    hold_id: holdId,
    at_ms: atMs
  }))
  return Effect.zipRight(
    sql`INSERT INTO journal ${sql.insert(rows)}`,
    Effect.asVoid(sql`
      UPDATE accounts SET granted = ${`${account.granted}`}, used = ${`${account.used}`}, held = ${`${account.held}`},
        last_entry = ${lastEntry}
      WHERE project_id = ${projectId}`)
  )
}
