// @ts-check
/** Simulates how runs find a free slot: offers, refusals, silence, and stale heartbeats. Pure and seeded: the same options, the same answer. */
import { EventQueue } from "./eventQueue.mjs"
import { Executors } from "./executors.mjs"
import { policies } from "./policies.mjs"
import { seededRandom } from "./seededRandom.mjs"

/**
 * @typedef {object} Scenario
 * @property {number} seed
 * @property {number} executors
 * @property {number} slots of each executor
 * @property {number} edges among which the runs are dealt out
 * @property {{ ms: number, isExponential?: boolean }} service how long a run takes: always as long, or exponentially distributed
 * @property {number} load of all slots together, from 0 to below 1; arrivals are a Poisson process
 * @property {number} runs how many are submitted
 * @property {import("./policies.mjs").Policy} policy
 * @property {number} [hopMs] one way between edge and executor
 * @property {number} [beatMs]
 * @property {number} [offersInARow] refusals of one run before it waits
 * @property {number} [fullPauseMs] how long it waits then
 * @property {number} [patienceMs] after which it is refused (503)
 * @property {number} [frozen] executors that receive offers and do nothing, from the start on
 * @property {number} [acceptMs] after which an offer that nobody accepted goes to another
 * @property {number} [silentAfterMs] without heartbeats before an edge stops offering directly
 */

/** Where not told otherwise: as measured, or as the edges do it. */
export const usual = {
  hopMs: 0.05,
  beatMs: 200,
  offersInARow: 3,
  fullPauseMs: 5,
  patienceMs: 1_000,
  frozen: 0,
  acceptMs: 250,
  silentAfterMs: 600
}

const kinds = { submitted: 0, offered: 1, ended: 2, again: 3 }
const kindCount = 4
/** Runs at the beginning are not counted, because the executors start empty. */
const warmUp = 0.2

class Simulation {
  /** @param {Scenario} scenario */
  constructor(scenario) {
    const options = { ...usual, ...scenario }
    this.options = options
    this.random = seededRandom(options.seed)
    this.executors = new Executors(options, this.random)
    this.queue = new EventQueue()
    this.nowMs = 0
    this.gapMs = options.service.ms / (options.executors * options.slots * options.load)
    this.submittedMs = new Float64Array(options.runs)
    this.edgeOf = new Int32Array(options.runs)
    this.executorOf = new Int32Array(options.runs)
    this.refusals = new Int32Array(options.runs)
    this.wasFull = new Uint8Array(options.runs)
    this.offersOf = new Int32Array(options.runs)
    /** Negative: never begun. */
    this.waits = new Float64Array(options.runs).fill(-1)
    this.counts = { submitted: 0, offers: 0, full: 0, silent: 0, ended: 0, refused: 0, lastEndMs: 0, workedMs: 0 }
    /** @type {(executor: number, nowMs: number) => boolean} */
    this.isHeard = (executor, nowMs) => executor >= options.frozen || nowMs < options.silentAfterMs
  }

  /** @param {number} meanMs */
  #exponential(meanMs) {
    return -Math.log(1 - this.random()) * meanMs
  }

  #submit() {
    const { edges, runs } = this.options
    const run = this.counts.submitted
    this.counts.submitted += 1
    this.submittedMs[run] = this.nowMs
    this.edgeOf[run] = Math.floor(this.random() * edges)
    if (this.counts.submitted < runs) this.queue.add(this.nowMs + this.#exponential(this.gapMs), kinds.submitted)
    this.#offer(run)
  }

  /** @param {number} run */
  #offer(run) {
    const edge = this.edgeOf[run] ?? 0
    const { executors, isHeard, nowMs, random } = this
    const isFirst = (this.offersOf[run] ?? 0) === 0
    const executor = policies[this.options.policy]({ executors, edge, isFirst, isHeard, nowMs, random })
    this.offersOf[run] = (this.offersOf[run] ?? 0) + 1
    this.counts.offers += 1
    this.executorOf[run] = executor
    executors.countOwn(edge, executor, nowMs, 1)
    this.queue.add(nowMs + this.options.hopMs, run * kindCount + kinds.offered)
  }

  /**
   * An offer arrives at its executor.
   * @param {number} run
   */
  #arrive(run) {
    const { acceptMs, frozen, hopMs, service } = this.options
    const executor = this.executorOf[run] ?? 0
    if (executor < frozen) {
      this.counts.silent += 1
      return this.queue.add(this.nowMs - hopMs + acceptMs, run * kindCount + kinds.again)
    }
    if (!this.executors.begin(executor, this.nowMs)) {
      this.counts.full += 1
      this.refusals[run] = (this.refusals[run] ?? 0) + 1
      this.wasFull[run] = 1
      return this.queue.add(this.nowMs + hopMs, run * kindCount + kinds.again)
    }
    this.waits[run] = this.nowMs - (this.submittedMs[run] ?? 0)
    const tookMs = service.isExponential === true ? this.#exponential(service.ms) : service.ms
    this.counts.workedMs += tookMs
    return this.queue.add(this.nowMs + tookMs, run * kindCount + kinds.ended)
  }

  /**
   * The executor was full or silent, or the pause after several full ones is over.
   * @param {number} run
   */
  #again(run) {
    const { fullPauseMs, offersInARow, patienceMs } = this.options
    const executor = this.executorOf[run] ?? -1
    const edge = this.edgeOf[run] ?? 0
    if (executor >= 0) this.executors.countOwn(edge, executor, this.nowMs, -1)
    if (executor >= 0 && this.wasFull[run] === 1) this.executors.noteFull(edge, executor, this.nowMs)
    this.executorOf[run] = -1
    this.wasFull[run] = 0
    if (this.nowMs - (this.submittedMs[run] ?? 0) > patienceMs) {
      this.counts.refused += 1
      return
    }
    if ((this.refusals[run] ?? 0) < offersInARow) return this.#offer(run)
    this.refusals[run] = 0
    this.queue.add(this.nowMs + fullPauseMs, run * kindCount + kinds.again)
  }

  /** @param {number} run */
  #end(run) {
    const executor = this.executorOf[run] ?? 0
    this.executors.end(executor, this.nowMs)
    this.executors.countOwn(this.edgeOf[run] ?? 0, executor, this.nowMs, -1)
    this.counts.ended += 1
    this.counts.lastEndMs = this.nowMs
  }

  /** Until every run has ended or was refused. */
  play() {
    this.queue.add(0, kinds.submitted)
    while (this.queue.size > 0) {
      this.nowMs = this.queue.nextMs
      const event = this.queue.take()
      const run = Math.floor(event / kindCount)
      const kind = event % kindCount
      if (kind === kinds.submitted) this.#submit()
      else if (kind === kinds.offered) this.#arrive(run)
      else if (kind === kinds.ended) this.#end(run)
      else this.#again(run)
    }
  }
}

/**
 * What happened. Waits are from the submission to the begin, in milliseconds, of the runs after the warm-up that have begun.
 * @param {Scenario} scenario
 */
export const simulate = (scenario) => {
  const simulation = new Simulation(scenario)
  simulation.play()
  const { counts, executors, options, waits } = simulation
  const counted = waits.slice(Math.floor(options.runs * warmUp)).filter((wait) => wait >= 0)
  counted.sort()
  const at = (/** @type {number} */ part) => counted[Math.min(counted.length - 1, Math.floor(counted.length * part))] ?? 0
  return {
    ...counts,
    busyAtEnd: executors.busy.reduce((sum, busy) => sum + busy, 0),
    mostBusy: executors.mostBusy,
    load: counts.workedMs / (counts.lastEndMs * options.executors * options.slots),
    offersPerRun: counts.offers / counts.submitted,
    meanMs: counted.reduce((sum, wait) => sum + wait, 0) / Math.max(1, counted.length),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    mostMs: counted.at(-1) ?? 0
  }
}
