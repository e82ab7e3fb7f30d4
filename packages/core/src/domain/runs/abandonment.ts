/** Whether anybody still waits for a run. An `AbortSignal` could say the same, but making one takes as long as the rest of the run's charge. */

/** What the caller's leaving looks like to whoever runs the program. */
export interface Abandonment {
  readonly isAbandoned: boolean
  /** `listener` is called when the caller leaves, which happens once at most; what is returned ends that. It must not throw. */
  readonly onAbandoned: (listener: () => void) => () => void
}

/** The caller of one run, who may leave. */
export class Leaving implements Abandonment {
  #hasLeft = false
  #listeners: Set<() => void> | undefined

  get isAbandoned(): boolean {
    return this.#hasLeft
  }

  onAbandoned(listener: () => void): () => void {
    if (this.#hasLeft) {
      listener()
      return () => {}
    }
    const listeners = (this.#listeners ??= new Set())
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }

  /** Says that nobody waits any more. */
  leave(): void {
    if (this.#hasLeft) return
    this.#hasLeft = true
    for (const listener of this.#listeners ?? []) listener()
    this.#listeners = undefined
  }
}
