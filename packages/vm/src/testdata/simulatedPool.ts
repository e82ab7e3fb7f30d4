/** A worker pool in model time: the decisions are the real ones, workers and passes are numbers. */
import { Dispatcher } from "../pool/dispatcher.ts"
import type { WaitingPass } from "../pool/turns.ts"

/** A run that comes to the pool: its passes one after the other, with a host call between each two. Times in ms. */
export interface SimulatedRun {
  readonly projectId: string
  readonly atMs: number
  /** What each pass takes; more than the deadline costs the worker its life. */
  readonly passesMs: ReadonlyArray<number>
  /** How long the host call after each pass takes. */
  readonly callMs: number
  /** How long after its beginning its caller leaves, which takes back what waits; left out: it stays. */
  readonly leavesAfterMs?: number
}

/** The pool: how many places, how long a worker takes to start, and the deadline of a pass. */
export interface SimulatedPool {
  readonly workers: number
  readonly spareWorkers: number
  readonly startMs: number
  readonly deadlineMs: number
}

/** What happened, in order. */
export type PoolEvent = { readonly atMs: number } & (
  | { readonly kind: "waits" | "left"; readonly pass: SimulatedPass }
  | { readonly kind: "given" | "over"; readonly pass: SimulatedPass; readonly place: number }
  | { readonly kind: "up" | "down"; readonly place: number }
)

/** One pass of a run. */
export interface SimulatedPass extends WaitingPass {
  readonly takesMs: number
}

/** Several times what any simulated pool does. */
const mostActs = 100_000

/** Acts in the order of their times, those of one time in the order in which they were planned. */
class Agenda {
  readonly #acts: Array<{ readonly atMs: number; readonly act: () => void }> = []
  nowMs = 0

  plan(inMs: number, act: () => void): void {
    const atMs = this.nowMs + inMs
    const place = this.#acts.findLastIndex((planned) => planned.atMs <= atMs) + 1
    this.#acts.splice(place, 0, { atMs, act })
  }

  run(): void {
    let left = mostActs
    for (let next = this.#acts.shift(); next !== undefined; next = this.#acts.shift()) {
      if ((left -= 1) < 0) throw new Error("the pool does not come to rest")
      this.nowMs = next.atMs
      next.act()
    }
  }
}

/** How long an unused spare worker is kept here. */
const spareIdleMs = 200

/** Runs everything to its end. */
export const simulatePool = (pool: SimulatedPool, runs: ReadonlyArray<SimulatedRun>): ReadonlyArray<PoolEvent> => {
  const events: Array<PoolEvent> = []
  const agenda = new Agenda()
  const dispatcher = new Dispatcher<SimulatedPass>(pool.workers, pool.spareWorkers)
  const passed = new Map<SimulatedPass, () => void>()
  const idleSince = new Map<number, number>()

  const comeUp = (place: number): void => {
    dispatcher.ready(place)
    events.push({ kind: "up", place, atMs: agenda.nowMs })
    rest(place)
    decide()
  }
  const start = (place: number): void => agenda.plan(pool.startMs, () => comeUp(place))
  const goDown = (place: number): void => {
    dispatcher.gone(place)
    events.push({ kind: "down", place, atMs: agenda.nowMs })
  }
  const rest = (place: number): void => {
    if (!dispatcher.isSpare(place)) return
    const sinceMs = agenda.nowMs
    idleSince.set(place, sinceMs)
    agenda.plan(spareIdleMs, () => {
      if (idleSince.get(place) !== sinceMs || dispatcher.running(place) !== undefined) return
      idleSince.delete(place)
      goDown(place)
    })
  }
  const finish = (place: number, pass: SimulatedPass): void => {
    events.push({ kind: "over", place, pass, atMs: agenda.nowMs })
    if (pass.takesMs <= pool.deadlineMs) {
      dispatcher.ended(place)
      rest(place)
    } else {
      goDown(place)
      if (!dispatcher.isSpare(place)) {
        dispatcher.started(place)
        start(place)
      }
    }
    passed.get(pass)?.()
    decide()
  }
  const decide = (): void => {
    const { againInMs, moves } = dispatcher.decide(agenda.nowMs)
    for (const move of moves) {
      const { place } = move
      if (move.kind === "start") start(place)
      else {
        idleSince.delete(place)
        events.push({ kind: "given", place, pass: move.pass, atMs: agenda.nowMs })
        agenda.plan(Math.min(move.pass.takesMs, pool.deadlineMs), () => finish(place, move.pass))
      }
    }
    if (againInMs !== undefined) agenda.plan(againInMs, decide)
  }
  const begin = ({ callMs, leavesAfterMs, passesMs, projectId }: SimulatedRun): void => {
    let hasLeft = false
    let waiting: SimulatedPass | undefined
    const next = (at: number): void => {
      const takesMs = passesMs[at]
      if (hasLeft || takesMs === undefined) return
      const pass = { projectId, first: at === 0, takesMs }
      waiting = pass
      passed.set(pass, () => {
        // A deadline ends the run.
        if (takesMs <= pool.deadlineMs) agenda.plan(callMs, () => next(at + 1))
      })
      dispatcher.turns.add(pass)
      events.push({ kind: "waits", pass, atMs: agenda.nowMs })
      decide()
    }
    if (leavesAfterMs !== undefined) {
      agenda.plan(leavesAfterMs, () => {
        hasLeft = true
        if (waiting !== undefined && dispatcher.turns.remove(waiting)) events.push({ kind: "left", pass: waiting, atMs: agenda.nowMs })
      })
    }
    next(0)
  }
  for (const run of runs) agenda.plan(run.atMs, () => begin(run))
  agenda.run()
  return events
}
