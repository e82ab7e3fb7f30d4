/** The readable trace of a simulation: what was done and what was answered, line by line. */

/** Lines with the virtual time at which they were written. */
export class Trace {
  readonly #nowMs: () => number
  readonly #lines: Array<string> = []
  /** The number of the step that is under way. */
  step = 0

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** Adds a line. */
  say(text: string): void {
    this.#lines.push(`${String(this.step).padStart(3)} ${this.#nowMs().toFixed(3).padStart(12)} ${text}`)
  }

  get lines(): ReadonlyArray<string> {
    return this.#lines
  }
}
