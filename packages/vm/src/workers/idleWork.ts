/** How long a process has worked on without an order, by its processor time. */

/** What it may use all the time, as a share of one processor: looking after itself. */
const quietShare = 0.1

/** Adds up what is used beyond that; an order, or quiet, takes it away again. */
export class IdleWork {
  #usedMs: number
  #atMs: number
  #excessMs = 0

  constructor(usedMs: number, nowMs: number) {
    this.#usedMs = usedMs
    this.#atMs = nowMs
  }

  /** Processor time without an order, in ms, at this look: what the process has used so far, and whether it has an order. */
  look(usedMs: number, nowMs: number, isBusy: boolean): number {
    const excessMs = usedMs - this.#usedMs - (nowMs - this.#atMs) * quietShare
    this.#excessMs = isBusy ? 0 : Math.max(0, this.#excessMs + excessMs)
    this.#usedMs = usedMs
    this.#atMs = nowMs
    return this.#excessMs
  }
}
