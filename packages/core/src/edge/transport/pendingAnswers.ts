/** Answers that are under way: what still waits when its service has ended, as for a port that never answers, is told so. */
import { TransientMap } from "../../domain/encoding/transientMap.ts"

/** The answers of one service. */
export class PendingAnswers {
  readonly #ends = new TransientMap<number, () => void>()
  #begun = 0

  /** What the work resolves to; undefined if {@link end} comes first. Not a race with one promise for all, which would keep each answer. */
  until<A>(work: Promise<A>): Promise<A | undefined> {
    this.#begun += 1
    const place = this.#begun
    return new Promise((resolve, reject) => {
      this.#ends.set(place, () => resolve(undefined))
      const left =
        <B>(settle: (value: B) => void) =>
        (value: B): void => {
          this.#ends.delete(place)
          settle(value)
        }
      work.then(left(resolve), left(reject))
    })
  }

  /** Nothing comes any more. */
  end(): void {
    for (const end of this.#ends.values()) end()
    this.#ends.clear()
  }
}
