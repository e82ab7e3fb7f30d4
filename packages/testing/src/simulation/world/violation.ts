/** Broken invariants: noted where they are seen, and raised when the step is over. */

/** Which invariant, and how it is broken. */
export class InvariantBroken extends Error {
  readonly invariant: string

  constructor(invariant: string, message: string) {
    super(message)
    this.name = "InvariantBroken"
    this.invariant = invariant
  }
}

/** What was found in one simulation. A throw inside of the service would be caught there, so findings are kept. */
export class Findings {
  readonly #found: Array<InvariantBroken> = []

  /** Notes a violation if a condition does not hold. */
  readonly mustHold = (holds: boolean, invariant: string, message: () => string): void => {
    if (!holds) this.#found.push(new InvariantBroken(invariant, message()))
  }

  /** Throws the first finding, if there is one. */
  raise(): void {
    const [first] = this.#found
    if (first !== undefined) throw first
  }
}
