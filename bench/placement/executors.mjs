// @ts-check
/** Executors with their slots, and what edges know of them by their heartbeats. */

/**
 * @typedef {object} Fleet
 * @property {number} executors
 * @property {number} slots of each executor
 * @property {number} edges
 * @property {number} beatMs the period of the heartbeats; each executor has a phase of its own
 */

/**
 * Busy slots by executor, and each edge's idea of them: what the last heartbeat said, corrected by the runs that this very edge has begun
 * and seen end since; after a refusal, none until the next heartbeat. What a heartbeat said is worked out when it is asked for: a count is kept with the number of the beat after which it
 * last changed.
 */
export class Executors {
  /**
   * @param {Fleet} fleet
   * @param {() => number} random
   */
  constructor({ beatMs, edges, executors, slots }, random) {
    this.count = executors
    this.slots = slots
    this.mostBusy = 0
    this.beatMs = beatMs
    this.phases = Float64Array.from({ length: executors }, () => random() * beatMs)
    this.busy = new Int32Array(executors)
    this.busyAtBeat = new Int32Array(executors)
    this.busyBeat = new Int32Array(executors)
    this.own = new Int32Array(executors * edges)
    this.ownAtBeat = new Int32Array(executors * edges)
    this.ownBeat = new Int32Array(executors * edges)
    this.fullAtBeat = new Int32Array(executors * edges).fill(-1)
  }

  /**
   * How many heartbeats an executor has sent.
   * @param {number} executor
   * @param {number} nowMs
   */
  beatOf(executor, nowMs) {
    return Math.floor((nowMs + (this.phases[executor] ?? 0)) / this.beatMs)
  }

  /**
   * @param {number} executor
   * @param {number} nowMs
   * @param {number} change
   */
  #count(executor, nowMs, change) {
    const beat = this.beatOf(executor, nowMs)
    const now = this.busy[executor] ?? 0
    if (beat !== this.busyBeat[executor]) {
      this.busyAtBeat[executor] = now
      this.busyBeat[executor] = beat
    }
    this.busy[executor] = now + change
    this.mostBusy = Math.max(this.mostBusy, now + change)
  }

  /**
   * The edge offers a run, or has seen it end or refused.
   * @param {number} edge
   * @param {number} executor
   * @param {number} nowMs
   * @param {1 | -1} change
   */
  countOwn(edge, executor, nowMs, change) {
    const at = edge * this.count + executor
    const beat = this.beatOf(executor, nowMs)
    const now = this.own[at] ?? 0
    if (beat !== this.ownBeat[at]) {
      this.ownAtBeat[at] = now
      this.ownBeat[at] = beat
    }
    this.own[at] = now + change
  }

  /**
   * The edge was told that the executor is full.
   * @param {number} edge
   * @param {number} executor
   * @param {number} nowMs
   */
  noteFull(edge, executor, nowMs) {
    this.fullAtBeat[edge * this.count + executor] = this.beatOf(executor, nowMs)
  }

  /**
   * Takes a slot if one is free, and says whether it has.
   * @param {number} executor
   * @param {number} nowMs
   */
  begin(executor, nowMs) {
    if ((this.busy[executor] ?? 0) >= this.slots) return false
    this.#count(executor, nowMs, 1)
    return true
  }

  /**
   * @param {number} executor
   * @param {number} nowMs
   */
  end(executor, nowMs) {
    this.#count(executor, nowMs, -1)
  }

  /**
   * How many free slots an edge believes an executor to have; negative if it has offered more since the last beat than were free.
   * @param {number} edge
   * @param {number} executor
   * @param {number} nowMs
   */
  believedFree(edge, executor, nowMs) {
    const at = edge * this.count + executor
    const beat = this.beatOf(executor, nowMs)
    if (beat === this.fullAtBeat[at]) return 0
    const busy = beat === this.busyBeat[executor] ? this.busyAtBeat[executor] : this.busy[executor]
    const own = this.own[at] ?? 0
    const ownAtBeat = beat === this.ownBeat[at] ? (this.ownAtBeat[at] ?? 0) : own
    return this.slots - (busy ?? 0) - (own - ownAtBeat)
  }
}
