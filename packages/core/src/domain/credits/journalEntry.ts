/** An entry in a project's journal of credits. */

/**
 * `grant` and `withdraw` change what was granted. `post`, `void` and `expire` end a hold: a post returns what it does not use, `void` returns what is left, and so does `expire`, for a
 * lease that has ended. An escrow stays open under the others: `extend` adds to it, `charge` uses a part of it for one run, `release`
 * returns a part.
 */
export type EntryKind = "grant" | "withdraw" | "hold" | "extend" | "charge" | "release" | "post" | "void" | "expire"

/** Journals are append-only; `entry` counts up from 1 within a project. */
export interface JournalEntry {
  readonly entry: number
  readonly kind: EntryKind
  /** What was granted, withdrawn, held, used or returned. */
  readonly credits: bigint
  /** The hold concerned; `null` for a grant and a withdrawal. */
  readonly holdId: string | null
  readonly atMs: number
}
