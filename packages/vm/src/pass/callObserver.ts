/** An observer of a program's calls while the observed build runs. */

/** Called when a function begins and ends. A program that traps or exits leaves functions open. */
export interface CallObserver {
  /** The function with this index in the program begins; so much gas of the phase was spent before. */
  readonly enter: (index: number, gasUsed: bigint) => void
  /** The function that began last and has not ended ends. */
  readonly leave: (gasUsed: bigint) => void
}
