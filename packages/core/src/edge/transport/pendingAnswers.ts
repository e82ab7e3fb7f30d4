/** Answers that are under way: what still waits when its service has ended, as for a port that never answers, is told so. */

/** The answers of one service. */
export class PendingAnswers {
  readonly #ends = new Set<() => void>()

  /** What the work resolves to; undefined if {@link end} comes first. Not a race with one promise for all, which would keep each answer. */
  until<A>(work: Promise<A>): Promise<A | undefined> {
    return new Promise((resolve, reject) => {
      const end = (): void => resolve(undefined)
      this.#ends.add(end)
      const left =
        <B>(settle: (value: B) => void) =>
        (value: B): void => {
          this.#ends.delete(end)
          settle(value)
        }
      work.then(left(resolve), left(reject))
    })
  }

  /** Nothing comes any more. */
  end(): void {
    for (const end of this.#ends) end()
    this.#ends.clear()
  }
}
