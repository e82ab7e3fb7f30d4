/** An entry in a project's journal of credits. */

/** `expire` returns a hold whose lease has ended. */
export type EntryKind = "grant" | "hold" | "post" | "void" | "expire"

/** Journals are append-only; `entry` counts up from 1 within a project. */
export interface JournalEntry {
  readonly entry: number
  readonly kind: EntryKind
  /** What was granted, held, posted or returned. */
  readonly credits: bigint
  /** The hold concerned; `null` for a grant. */
  readonly holdId: string | null
  readonly atMs: number
}
