/** A worker pool in model time: the decisions are the real ones, workers and passes are numbers. */
import { Dispatcher } from "../pool/dispatcher.ts"
import type { WaitingPass } from "../pool/turns.ts"

/** A run that comes to the pool: its passes one after the other, with a host call between each two. Times in ms. */
export interface SimulatedRun {
  readonly projectId: string
  readonly atMs: number
  /** What each pass takes; more than the deadline costs the worker its life. */
  readonly passesMs: ReadonlyArray<number>
  /** What the pool expects of each of its passes; left out: nothing is known of them. It need not be right. */
  readonly expectedMs?: number
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
  /** `given`: to be run, or ahead; `began`: what lay ahead; `recalled`: it lay ahead, and waits again. */
  | { readonly kind: "given" | "began" | "recalled" | "over"; readonly pass: SimulatedPass; readonly place: number }
  | { readonly kind: "up" | "down"; readonly place: number }
)

/** One pass of a run. */
export interface SimulatedPass extends WaitingPass {
  readonly takesMs: number
  readonly expectedMs: number
}

/** Several times what any simulated pool does. */
const mostActs = 200_000

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
  const dispatcher = new Dispatcher<SimulatedPass>(pool.workers, pool.spareWorkers, ({ expectedMs }) => expectedMs)
  const passed = new Map<SimulatedPass, () => void>()
  const idleSince = new Map<number, number>()
  /** What each worker has, in its order. */
  const given = new Map<number, Array<SimulatedPass>>()
  /** How many each worker leaves out behind its running one. */
  const toLeaveOut = new Map<number, number>()
  let lookAtMs = Infinity

  const comeUp = (place: number): void => {
    dispatcher.ready(place)
    events.push({ kind: "up", place, atMs: agenda.nowMs })
    rest(place)
    decide()
  }
  const start = (place: number): void => agenda.plan(pool.startMs, () => comeUp(place))
  const waitAgain = (place: number, passes: ReadonlyArray<SimulatedPass>): void => {
    for (const pass of passes.toReversed()) events.push({ kind: "recalled", place, pass, atMs: agenda.nowMs })
  }
  const goDown = (place: number): void => {
    given.delete(place)
    toLeaveOut.delete(place)
    waitAgain(place, dispatcher.gone(place))
    events.push({ kind: "down", place, atMs: agenda.nowMs })
  }
  /** The first that a worker has. */
  const work = (place: number): void => {
    const [pass] = given.get(place) ?? []
    if (pass !== undefined) agenda.plan(Math.min(pass.takesMs, pool.deadlineMs), () => finish(place, pass))
  }
  const next = (place: number): void => {
    const leftOut = toLeaveOut.get(place) ?? 0
    toLeaveOut.delete(place)
    const left = (given.get(place) ?? []).slice(1 + leftOut)
    given.set(place, left)
    for (let count = leftOut; count > 0; count -= 1) dispatcher.leftOut(place, agenda.nowMs)
    const [pass] = left
    if (pass === undefined) return rest(place)
    events.push({ kind: "began", place, pass, atMs: agenda.nowMs })
    work(place)
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
    dispatcher.ended(place, agenda.nowMs)
    if (pass.takesMs <= pool.deadlineMs) next(place)
    else {
      goDown(place)
      if (!dispatcher.isSpare(place)) {
        dispatcher.started(place)
        start(place)
      }
    }
    passed.get(pass)?.()
    decide()
  }
  const look = (): void => {
    if (lookAtMs !== agenda.nowMs) return
    lookAtMs = Infinity
    for (const { passes, place } of dispatcher.recall(agenda.nowMs)) {
      toLeaveOut.set(place, passes.length + (toLeaveOut.get(place) ?? 0))
      waitAgain(place, passes)
    }
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
        const has = [...(given.get(place) ?? []), move.pass]
        given.set(place, has)
        if (has.length === 1) work(place)
      }
    }
    const atMs = agenda.nowMs + (againInMs ?? Infinity)
    if (atMs >= lookAtMs) return
    lookAtMs = atMs
    agenda.plan(againInMs ?? 0, look)
  }
  const begin = ({ callMs, expectedMs = Infinity, leavesAfterMs, passesMs, projectId }: SimulatedRun): void => {
    let hasLeft = false
    let waiting: SimulatedPass | undefined
    const nextPass = (at: number): void => {
      const takesMs = passesMs[at]
      if (hasLeft || takesMs === undefined) return
      const pass = { projectId, first: at === 0, takesMs, expectedMs }
      waiting = pass
      passed.set(pass, () => {
        // A deadline ends the run.
        if (takesMs <= pool.deadlineMs) agenda.plan(callMs, () => nextPass(at + 1))
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
    nextPass(0)
  }
  for (const run of runs) agenda.plan(run.atMs, () => begin(run))
  agenda.run()
  return events
}
