/** Counts what is made for a collector, what it took, and what was dropped. */

/** What a collector is sent. */
export type Signal = "traces" | "metrics" | "logs"

/** Spans or records of one signal. */
export class SentItems {
  #made = 0
  #accounted = 0
  #sent = 0
  #dropped = 0

  /** One more was made. */
  made(): void {
    this.#made += 1
  }

  /** So many are about to be sent: everything else that was made since the last time was thrown away while the collector was away. */
  packed(count: number): void {
    this.#dropped += Math.max(0, this.#made - this.#accounted - count)
    this.#accounted = Math.max(this.#made, this.#accounted + count)
  }

  /** So many were taken by the collector, or given up. */
  ended(count: number, isTaken: boolean): void {
    if (isTaken) this.#sent += count
    else this.#dropped += count
  }

  get sent(): number {
    return this.#sent
  }

  get dropped(): number {
    return this.#dropped
  }
}
