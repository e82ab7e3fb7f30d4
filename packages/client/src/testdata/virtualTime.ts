/** For tests: a clock that goes on only when told to, and waits for what promises do in between. */

interface Timer {
  readonly atMs: number
  readonly call: () => void
}

/** A clock of its own. */
export class VirtualTime {
  #nowMs = 0
  #timers: Array<Timer> = []

  get nowMs(): number {
    return this.#nowMs
  }

  /** How many calls are still to come: a process would not end before them. */
  get waiting(): number {
    return this.#timers.length
  }

  /** Calls back once, in the order of times, then of calls. */
  readonly after = (ms: number, call: () => void): (() => void) => {
    const timer = { atMs: this.#nowMs + Math.max(0, ms), call }
    const at = this.#timers.findIndex(({ atMs }) => atMs > timer.atMs)
    this.#timers.splice(at < 0 ? this.#timers.length : at, 0, timer)
    return () => (this.#timers = this.#timers.filter((other) => other !== timer))
  }

  /** Lets time pass. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms
    await settled()
    for (let timer = this.#timers[0]; timer !== undefined && timer.atMs <= untilMs; timer = this.#timers[0]) {
      this.#timers.shift()
      this.#nowMs = timer.atMs
      timer.call()
      await settled()
    }
    this.#nowMs = untilMs
  }
}

/** All promises that can go on have gone on. */
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
