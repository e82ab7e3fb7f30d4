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

/** The pool while its time passes. */
class ModelPool {
  readonly events: Array<PoolEvent> = []
  readonly #pool: SimulatedPool
  readonly #agenda: Agenda
  readonly #dispatcher: Dispatcher<SimulatedPass>
  /** What follows a pass. */
  readonly #passed = new Map<SimulatedPass, () => void>()
  readonly #idleSince = new Map<number, number>()
  /** What each worker has, in its order. */
  readonly #given = new Map<number, Array<SimulatedPass>>()
  /** How many each worker leaves out behind its running one. */
  readonly #toLeaveOut = new Map<number, number>()
  #lookAtMs = Infinity

  constructor(pool: SimulatedPool, agenda: Agenda) {
    this.#pool = pool
    this.#agenda = agenda
    this.#dispatcher = new Dispatcher(pool.workers, pool.spareWorkers, ({ expectedMs }) => expectedMs)
  }

  /** A pass waits; `passed` follows it, unless it has reached the deadline. */
  add(pass: SimulatedPass, passed: () => void): void {
    this.#passed.set(pass, passed)
    this.#dispatcher.turns.add(pass)
    this.events.push({ kind: "waits", pass, atMs: this.#agenda.nowMs })
    this.#decide()
  }

  /** Takes a pass back, if it waits. */
  remove(pass: SimulatedPass): void {
    if (this.#dispatcher.turns.remove(pass)) this.events.push({ kind: "left", pass, atMs: this.#agenda.nowMs })
  }

  #comeUp(place: number): void {
    this.#dispatcher.ready(place)
    this.events.push({ kind: "up", place, atMs: this.#agenda.nowMs })
    this.#rest(place)
    this.#decide()
  }

  #start(place: number): void {
    this.#agenda.plan(this.#pool.startMs, () => this.#comeUp(place))
  }

  #waitAgain(place: number, passes: ReadonlyArray<SimulatedPass>): void {
    for (const pass of passes.toReversed()) this.events.push({ kind: "recalled", place, pass, atMs: this.#agenda.nowMs })
  }

  #goDown(place: number): void {
    this.#given.delete(place)
    this.#toLeaveOut.delete(place)
    this.#waitAgain(place, this.#dispatcher.gone(place))
    this.events.push({ kind: "down", place, atMs: this.#agenda.nowMs })
  }

  /** The first that a worker has. */
  #work(place: number): void {
    const [pass] = this.#given.get(place) ?? []
    if (pass !== undefined) this.#agenda.plan(Math.min(pass.takesMs, this.#pool.deadlineMs), () => this.#finish(place, pass))
  }

  #next(place: number): void {
    const leftOut = this.#toLeaveOut.get(place) ?? 0
    this.#toLeaveOut.delete(place)
    const left = (this.#given.get(place) ?? []).slice(1 + leftOut)
    this.#given.set(place, left)
    for (let count = leftOut; count > 0; count -= 1) this.#dispatcher.leftOut(place, this.#agenda.nowMs)
    const [pass] = left
    if (pass === undefined) {
      this.#rest(place)
      return
    }
    this.events.push({ kind: "began", place, pass, atMs: this.#agenda.nowMs })
    this.#work(place)
  }

  #rest(place: number): void {
    if (!this.#dispatcher.isSpare(place)) return
    const sinceMs = this.#agenda.nowMs
    this.#idleSince.set(place, sinceMs)
    this.#agenda.plan(spareIdleMs, () => {
      if (this.#idleSince.get(place) !== sinceMs || this.#dispatcher.running(place) !== undefined) return
      this.#idleSince.delete(place)
      this.#goDown(place)
    })
  }

  #finish(place: number, pass: SimulatedPass): void {
    this.events.push({ kind: "over", place, pass, atMs: this.#agenda.nowMs })
    this.#dispatcher.ended(place, this.#agenda.nowMs)
    if (pass.takesMs <= this.#pool.deadlineMs) {
      this.#next(place)
      this.#passed.get(pass)?.()
    } else {
      this.#goDown(place)
      if (!this.#dispatcher.isSpare(place)) {
        this.#dispatcher.started(place)
        this.#start(place)
      }
    }
    this.#decide()
  }

  #look(): void {
    if (this.#lookAtMs !== this.#agenda.nowMs) return
    this.#lookAtMs = Infinity
    for (const { passes, place } of this.#dispatcher.recall(this.#agenda.nowMs)) {
      this.#toLeaveOut.set(place, passes.length + (this.#toLeaveOut.get(place) ?? 0))
      this.#waitAgain(place, passes)
    }
    this.#decide()
  }

  #decide(): void {
    const { againInMs, moves } = this.#dispatcher.decide(this.#agenda.nowMs)
    for (const move of moves) {
      if (move.kind === "start") this.#start(move.place)
      else this.#give(move.place, move.pass)
    }
    const atMs = this.#agenda.nowMs + (againInMs ?? Infinity)
    if (atMs >= this.#lookAtMs) return
    this.#lookAtMs = atMs
    this.#agenda.plan(againInMs ?? 0, () => this.#look())
  }

  #give(place: number, pass: SimulatedPass): void {
    this.#idleSince.delete(place)
    this.events.push({ kind: "given", place, pass, atMs: this.#agenda.nowMs })
    const has = [...(this.#given.get(place) ?? []), pass]
    this.#given.set(place, has)
    if (has.length === 1) this.#work(place)
  }
}

/** A run comes: its passes follow each other, until one reaches the deadline or its caller leaves. */
const begin = (pool: ModelPool, agenda: Agenda, run: SimulatedRun): void => {
  const { callMs, expectedMs = Infinity, leavesAfterMs, passesMs, projectId } = run
  let hasLeft = false
  let waiting: SimulatedPass | undefined
  const nextPass = (at: number): void => {
    const takesMs = passesMs[at]
    if (hasLeft || takesMs === undefined) return
    waiting = { projectId, first: at === 0, takesMs, expectedMs }
    pool.add(waiting, () => agenda.plan(callMs, () => nextPass(at + 1)))
  }
  if (leavesAfterMs !== undefined) {
    agenda.plan(leavesAfterMs, () => {
      hasLeft = true
      if (waiting !== undefined) pool.remove(waiting)
    })
  }
  nextPass(0)
}

/** Runs everything to its end. */
export const simulatePool = (pool: SimulatedPool, runs: ReadonlyArray<SimulatedRun>): ReadonlyArray<PoolEvent> => {
  const agenda = new Agenda()
  const model = new ModelPool(pool, agenda)
  for (const run of runs) agenda.plan(run.atMs, () => begin(model, agenda, run))
  agenda.run()
  return model.events
}
