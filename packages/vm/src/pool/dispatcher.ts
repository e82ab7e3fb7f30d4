/** Which pass gets which worker, and when a worker starts: decisions only, without threads, timers or a clock. */
import { Turns, type WaitingPass } from "./turns.ts"
import { WorkerQueue } from "./workerQueue.ts"

/** How long a pass runs before its worker counts as stuck in it, in ms: most passes are shorter. */
export const stuckAfterMs = 50

/** How long the passes of one worker may be expected to take together where some are given ahead, in ms. */
export const aheadMs = 2

/** The most passes that one worker has, running and ahead. */
export const mostGiven = 8

/** How long a pass may lie ahead at a worker before another one may have it, in ms: the one before it took longer than was expected. */
export const recallAfterMs = 5

/** The state of a place: no worker, a starting one, an idle one, or one that has passes. */
type Stage<Pass> = { readonly kind: "none" | "starting" | "idle" } | { readonly kind: "busy"; readonly queue: WorkerQueue<Pass> }

const none = { kind: "none" } as const
const starting = { kind: "starting" } as const
const idle = { kind: "idle" } as const

/** An action at a place, to be carried out now; the dispatcher counts it as done. */
export type Move<Pass> =
  | { readonly kind: "start"; readonly place: number }
  | { readonly kind: "give"; readonly place: number; readonly pass: Pass }

/** Passes that a worker was given ahead, and is to leave out. */
export interface Recall<Pass> {
  readonly place: number
  readonly passes: ReadonlyArray<Pass>
  /** How many it is to leave out behind the running one, with those that were recalled before. */
  readonly toLeaveOut: number
}

/** The actions to carry out now, and in how many ms to look again: for passes ahead, or if a project waits for a spare worker. */
export interface Decision<Pass> {
  readonly moves: ReadonlyArray<Move<Pass>>
  readonly againInMs: number | undefined
}

/**
 * The passes that wait, and the places for workers. Places from `workers` on are spare: they have a worker only while
 * all others are stuck, and take only passes of projects that have no worker.
 *
 * A regular worker that is busy is given passes ahead, so that it need not wait for this thread after each: those whose turn it is, as
 * long as all that it has then is expected to take {@link aheadMs} at most. A pass that lies ahead for {@link recallAfterMs} is recalled:
 * it waits again, and its worker leaves it out. If that had just begun with it, whichever worker ends it first has run it: passes are
 * functions of their input.
 *
 * What is guaranteed to a project that waits and has no worker, whatever the others bring, as many runs, of as many and
 * as long passes as they like:
 *
 * - No worker that may have its pass is idle. Each other project is served at most once before it, and only while it has
 *   no worker itself. Against one other project, it has the worker that is free next.
 * - Where there is a spare place for each project, it waits for {@link stuckAfterMs} and the start of a worker at most, once for
 *   itself and once for each other project, even if no pass ends.
 * - What it was given ahead begins within {@link recallAfterMs}, or waits as before.
 *
 * So no run waits for more than one pass of each other project, before each of its own passes, beside those few ms.
 */
export class Dispatcher<Pass extends WaitingPass> {
  readonly turns = new Turns<Pass>()
  readonly #workers: number
  readonly #expectedMs: (pass: Pass) => number
  readonly #stages: Array<Stage<Pass>>

  /** `expectedMs`: how long a pass will run, infinity if that is not known. */
  constructor(workers: number, spareWorkers: number, expectedMs: (pass: Pass) => number = () => Infinity) {
    this.#workers = workers
    this.#expectedMs = expectedMs
    this.#stages = Array.from({ length: workers + spareWorkers }, () => none)
  }

  isSpare(place: number): boolean {
    return place >= this.#workers
  }

  /** The pass that runs at this place, and when it started. */
  running(place: number): { readonly pass: Pass; readonly sinceMs: number } | undefined {
    return this.#queue(place)?.running
  }

  /** Whether the worker of a place is up, idle or at work. */
  isReady(place: number): boolean {
    const kind = this.#stages[place]?.kind
    return kind === "idle" || kind === "busy"
  }

  /** Whether no place has a worker. */
  get isDeserted(): boolean {
    return this.#stages.every(({ kind }) => kind === "none")
  }

  /** A worker was started at a place that had none. */
  started(place: number): void {
    this.#stages[place] = starting
  }

  /** The worker of a place has come up. */
  ready(place: number): void {
    this.#stages[place] = idle
  }

  /** A pass of a place is over: the running one, or one that wants no worker any more. The next one there begins. */
  ended(place: number, nowMs: number, pass: Pass | undefined = this.running(place)?.pass): void {
    const queue = this.#queue(place)
    if (queue === undefined || pass === undefined) return
    const given = queue.remove(pass, nowMs)
    if (given?.isRecalled === true) this.turns.remove(pass)
    else if (given !== undefined) this.turns.ended(pass)
    if (queue.isEmpty) this.#stages[place] = idle
  }

  /** The worker of a place has left out its next pass: that waits, or another worker has it. False if it was not to be left out. */
  leftOut(place: number, nowMs: number): boolean {
    const queue = this.#queue(place)
    if (queue?.isFirstRecalled !== true) return false
    queue.remove(queue.running.pass, nowMs)
    if (queue.isEmpty) this.#stages[place] = idle
    return true
  }

  /** The worker of a place is gone; what it still had waits again, and is returned. */
  gone(place: number): ReadonlyArray<Pass> {
    const left = this.#queue(place)?.notRecalled() ?? []
    this.#stages[place] = none
    // From the last to the first, since each becomes the next one of its project.
    for (const pass of left.toReversed()) this.turns.putBack(pass)
    return left
  }

  /**
   * Passes that have been ahead for too long wait again: they are returned with their place, the first ones there behind the running one.
   * To be called when all reports that have arrived are heard.
   */
  recall(nowMs: number): ReadonlyArray<Recall<Pass>> {
    const recalls = this.#stages.flatMap((stage, place) => {
      if (stage.kind !== "busy") return []
      const passes = stage.queue.recall(nowMs - recallAfterMs)
      return passes.length === 0 ? [] : [{ place, passes, toLeaveOut: stage.queue.toLeaveOut }]
    })
    for (const { passes } of recalls) for (const pass of passes.toReversed()) this.turns.putBack(pass)
    return recalls
  }

  /** Decides at this moment of a monotonic clock. */
  decide(nowMs: number): Decision<Pass> {
    const moves: Array<Move<Pass>> = []
    for (let place = 0; place < this.#workers && this.turns.waiting > 0; place += 1) this.#serve(place, nowMs, moves)
    while (this.turns.waiting > 0 && this.#giveAhead(nowMs, moves)) {
      // Until every worker has enough, or the next pass may be long.
    }
    const lendInMs = this.turns.without === 0 ? undefined : this.#lendSpares(nowMs, moves)
    const recallInMs = this.#recallInMs(nowMs)
    return {
      moves,
      againInMs: lendInMs === undefined || recallInMs === undefined ? (lendInMs ?? recallInMs) : Math.min(lendInMs, recallInMs)
    }
  }

  #queue(place: number): WorkerQueue<Pass> | undefined {
    const stage = this.#stages[place]
    return stage?.kind === "busy" ? stage.queue : undefined
  }

  /** A regular place: it has a worker whenever a pass waits. */
  #serve(place: number, nowMs: number, moves: Array<Move<Pass>>): void {
    const kind = this.#stages[place]?.kind
    if (kind === "none") this.#start(place, moves)
    else if (kind === "idle") this.#give(place, nowMs, moves)
  }

  #start(place: number, moves: Array<Move<Pass>>): void {
    this.started(place)
    moves.push({ kind: "start", place })
  }

  #give(place: number, nowMs: number, moves: Array<Move<Pass>>): void {
    const pass = this.turns.take(this.isSpare(place))
    if (pass === undefined) return
    this.#stages[place] = { kind: "busy", queue: new WorkerQueue(pass, this.#expectedMs(pass), nowMs) }
    moves.push({ kind: "give", place, pass })
  }

  /** To the regular worker that has the least; false if there is none that may have the next pass. */
  #giveAhead(nowMs: number, moves: Array<Move<Pass>>): boolean {
    let place = 0
    let least: WorkerQueue<Pass> | undefined
    for (let at = 0; at < this.#workers; at += 1) {
      const queue = this.#queue(at)
      if (queue === undefined || queue.length >= mostGiven || queue.isLate || nowMs - queue.running.sinceMs >= recallAfterMs) continue
      if (least !== undefined && least.expectedMs <= queue.expectedMs) continue
      place = at
      least = queue
    }
    if (least === undefined || least.expectedMs > aheadMs) return false
    const roomMs = aheadMs - least.expectedMs
    const pass = this.turns.take(false, (next) => this.#expectedMs(next) <= roomMs)
    if (pass === undefined) return false
    least.add(pass, this.#expectedMs(pass), nowMs)
    moves.push({ kind: "give", place, pass })
    return true
  }

  /** For projects that have no worker while all others are stuck in passes of other projects. */
  #lendSpares(nowMs: number, moves: Array<Move<Pass>>): number | undefined {
    const { length } = this.#stages
    if (length === this.#workers) return undefined
    const stuckInMs = this.#stuckInMs(nowMs)
    if (stuckInMs > 0) return stuckInMs
    for (let place = this.#workers; place < length; place += 1) {
      if (this.#stages[place]?.kind === "idle") this.#give(place, nowMs, moves)
    }
    let missing = this.turns.without - this.#stages.filter(({ kind }, place) => kind === "starting" && this.isSpare(place)).length
    for (let place = this.#workers; place < length && missing > 0; place += 1) {
      if (this.#stages[place]?.kind !== "none") continue
      this.#start(place, moves)
      missing -= 1
    }
    return undefined
  }

  /** The ms until all regular workers count as stuck in their present passes; 0 if they do. */
  #stuckInMs(nowMs: number): number {
    let waitMs = 0
    for (let place = 0; place < this.#workers; place += 1) {
      const sinceMs = this.running(place)?.sinceMs ?? nowMs
      waitMs = Math.max(waitMs, sinceMs + stuckAfterMs - nowMs)
    }
    return waitMs
  }

  /** The ms until a pass has been ahead for too long; undefined if none is ahead. */
  #recallInMs(nowMs: number): number | undefined {
    let soonestMs = Infinity
    for (let place = 0; place < this.#workers; place += 1) soonestMs = Math.min(soonestMs, this.#queue(place)?.aheadSinceMs ?? Infinity)
    return soonestMs === Infinity ? undefined : Math.max(0, soonestMs + recallAfterMs - nowMs)
  }
}
