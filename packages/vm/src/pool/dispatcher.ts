/** Which pass gets which worker, and when a worker starts: decisions only, without threads, timers or a clock. */
import { Turns, type WaitingPass } from "./turns.ts"

/** How long a pass runs before its worker counts as stuck in it, in ms: most passes are shorter. */
export const stuckAfterMs = 50

/** The state of a place: no worker, a starting one, an idle one, or one that has been running a pass since a time. */
type Stage<Pass> =
  | { readonly kind: "none" | "starting" | "idle" }
  | { readonly kind: "busy"; readonly pass: Pass; readonly sinceMs: number }

const none = { kind: "none" } as const
const starting = { kind: "starting" } as const
const idle = { kind: "idle" } as const

/** An action at a place, to be carried out now; the dispatcher counts it as done. */
export type Move<Pass> =
  | { readonly kind: "start"; readonly place: number }
  | { readonly kind: "give"; readonly place: number; readonly pass: Pass }

/** The actions to carry out now, and in how many ms to decide again if a project waits for a spare worker. */
export interface Decision<Pass> {
  readonly moves: ReadonlyArray<Move<Pass>>
  readonly againInMs: number | undefined
}

/**
 * The passes that wait, and the places for workers. Places from `workers` on are spare: they have a worker only while
 * all others are stuck, and take only passes of projects that have no worker.
 *
 * What is guaranteed to a project that waits and has no worker, whatever the others bring, as many runs, of as many and
 * as long passes as they like:
 *
 * - No worker that may have its pass is idle. Each other project is served at most once before it, and only while it has
 *   no worker itself. Against one other project, it has the worker that is free next.
 * - Where there is a spare place for each project, it waits for {@link stuckAfterMs} and the start of a worker at most, once for
 *   itself and once for each other project, even if no pass ends.
 *
 * So no run waits for more than one pass of each other project, before each of its own passes.
 */
export class Dispatcher<Pass extends WaitingPass> {
  readonly turns = new Turns<Pass>()
  readonly #workers: number
  readonly #stages: Array<Stage<Pass>>

  constructor(workers: number, spareWorkers: number) {
    this.#workers = workers
    this.#stages = Array.from({ length: workers + spareWorkers }, () => none)
  }

  isSpare(place: number): boolean {
    return place >= this.#workers
  }

  /** The pass that runs at this place, and when it started. */
  running(place: number): { readonly pass: Pass; readonly sinceMs: number } | undefined {
    const stage = this.#stages[place]
    return stage?.kind === "busy" ? stage : undefined
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

  /** The pass of a place is over. */
  ended(place: number): void {
    const stage = this.#stages[place]
    if (stage?.kind !== "busy") return
    this.#stages[place] = idle
    this.turns.ended(stage.pass)
  }

  /** The worker of a place is gone, and its pass with it. */
  gone(place: number): void {
    this.ended(place)
    this.#stages[place] = none
  }

  /** Decides at this moment of a monotonic clock. */
  decide(nowMs: number): Decision<Pass> {
    const moves: Array<Move<Pass>> = []
    for (let place = 0; place < this.#workers && this.turns.waiting > 0; place += 1) this.#serve(place, nowMs, moves)
    return { moves, againInMs: this.turns.without === 0 ? undefined : this.#lendSpares(nowMs, moves) }
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
    this.#stages[place] = { kind: "busy", pass, sinceMs: nowMs }
    moves.push({ kind: "give", place, pass })
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
      const running = this.running(place)
      waitMs = Math.max(waitMs, running === undefined ? stuckAfterMs : running.sinceMs + stuckAfterMs - nowMs)
    }
    return waitMs
  }
}
