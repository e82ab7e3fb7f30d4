/** What one worker has: the pass that it runs, and those that it was given ahead. */

/** A pass at a worker. */
interface GivenPass<Pass> {
  readonly pass: Pass
  readonly expectedMs: number
  /** When it was given, by a monotonic clock. */
  readonly givenMs: number
  /** Whether it waits for any worker again: this one leaves it out, unless it had begun with it. */
  isRecalled: boolean
}

/** In the order in which the worker runs them. Times are in ms. */
export class WorkerQueue<Pass> {
  readonly #given: Array<GivenPass<Pass>>
  #sinceMs: number

  constructor(pass: Pass, expectedMs: number, nowMs: number) {
    this.#given = [{ pass, expectedMs, givenMs: nowMs, isRecalled: false }]
    this.#sinceMs = nowMs
  }

  get isEmpty(): boolean {
    return this.#given.length === 0
  }

  get length(): number {
    return this.#given.length
  }

  /** The pass that runs, and since when. Only where it is not empty. */
  get running(): { readonly pass: Pass; readonly sinceMs: number } {
    const [first] = this.#given
    if (first === undefined) throw new Error("a worker without a pass is idle")
    return { pass: first.pass, sinceMs: this.#sinceMs }
  }

  /** How long all of them are expected to take. */
  get expectedMs(): number {
    let sumMs = 0
    for (const { expectedMs } of this.#given) sumMs += expectedMs
    return sumMs
  }

  /** Whether it has passes that were recalled: it took longer than was expected. */
  get isLate(): boolean {
    return this.#given.some(({ isRecalled }) => isRecalled)
  }

  /** Whether the first one was recalled: the worker may leave it out. */
  get isFirstRecalled(): boolean {
    return this.#given[0]?.isRecalled === true
  }

  /** How many passes behind the running one it is to leave out: those that were recalled are the first ones there. */
  get toLeaveOut(): number {
    return this.#given.filter(({ isRecalled }, at) => at > 0 && isRecalled).length
  }

  /** When the first of those ahead was given that are for this worker alone; undefined if there is none. */
  get aheadSinceMs(): number | undefined {
    return this.#given.find(({ isRecalled }, at) => at > 0 && !isRecalled)?.givenMs
  }

  add(pass: Pass, expectedMs: number, nowMs: number): void {
    this.#given.push({ pass, expectedMs, givenMs: nowMs, isRecalled: false })
  }

  /** Takes a pass out: when that was the running one, the next one begins. Undefined if it is not here. */
  remove(pass: Pass, nowMs: number): { readonly isRecalled: boolean } | undefined {
    const at = this.#given.findIndex((given) => given.pass === pass)
    if (at === 0) this.#sinceMs = nowMs
    return at < 0 ? undefined : this.#given.splice(at, 1)[0]
  }

  /** Those ahead that were given at this time or earlier are no longer for this worker alone; returns them. */
  recall(givenMs: number): ReadonlyArray<Pass> {
    const late = this.#given.filter((given, at) => at > 0 && !given.isRecalled && given.givenMs <= givenMs)
    for (const given of late) given.isRecalled = true
    return late.map(({ pass }) => pass)
  }

  /** Those that are for this worker alone. */
  notRecalled(): ReadonlyArray<Pass> {
    return this.#given.flatMap(({ isRecalled, pass }) => (isRecalled ? [] : [pass]))
  }
}
