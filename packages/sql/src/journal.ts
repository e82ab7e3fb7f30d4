/** The journal: append-only, one line for everything that happened to a project's credits. */

/** What happened to credits: granted, put aside, used, returned, or returned because the lease was over. */
export type EntryKind = "grant" | "hold" | "post" | "void" | "expire"

/** One line. `entry` counts up from 1 within a project. */
export interface JournalEntry {
  readonly entry: number
  readonly kind: EntryKind
  readonly credits: bigint
  /** `null` for a grant. */
  readonly holdId: string | null
  readonly atMs: number
}
