/** One line of a project's journal: what happened to credits, when. */

/** Granted, put aside, used, returned, or returned because the lease was over. */
export type EntryKind = "grant" | "hold" | "post" | "void" | "expire"

/** A journal is only ever added to; `entry` counts up from 1 within a project. */
export interface JournalEntry {
  readonly entry: number
  readonly kind: EntryKind
  /** What was granted, held, posted or returned. */
  readonly credits: bigint
  /** The hold that it is about; `null` for a grant. */
  readonly holdId: string | null
  readonly atMs: number
}
