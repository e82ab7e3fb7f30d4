/** A clause of the interface in our words, with its evidence. */

/** The text of a clause, and at least one audit (its id) or test (as `testNamed` in testEvidence.ts names it) that shows it. */
export type Clause = readonly [says: string, shownBy: string, ...more: ReadonlyArray<string>]

/** The clauses of one part of the interface. */
export interface ClauseSection {
  readonly title: string
  readonly clauses: ReadonlyArray<Clause>
}
