/** A fair fiber scheduler: it yields to sockets and timers, and projects take turns. */
import { type BreakTaking, TurnBreaks, WorkOwner } from "@sibyl/core/internal"
import { type Fiber, Layer, Scheduler } from "effect"

/** How long fibers run before sockets and timers get a turn, in ms. Effect's own scheduler goes on while any fiber is ready. */
const turnMs = 3

/** The same when sockets took longer: fibers then have as long as they had, so that refusing requests leaves half of the time to runs. */
const longestTurnMs = 50

/** How often what cannot wait for the end of a turn is done during it, in ms. */
const breakMs = 1

/**
 * Of the tasks of one owner, how many of a more urgent priority run before one of a less urgent one has its turn too. A run has fewer tasks,
 * so that runs which are let in one by one do not pile up behind each other.
 */
export const urgentInARow = 64

/** Tasks of one priority, in the order of their arrival. */
class TaskQueue {
  #arrived: Array<Scheduler.Task> = []
  #ready: Array<Scheduler.Task | undefined> = []
  #next = 0

  get isEmpty(): boolean {
    return this.#next === this.#ready.length && this.#arrived.length === 0
  }

  add(task: Scheduler.Task): void {
    this.#arrived.push(task)
  }

  take(): Scheduler.Task | undefined {
    if (this.#next === this.#ready.length) {
      this.#ready = this.#arrived
      this.#arrived = []
      this.#next = 0
    }
    const task = this.#ready[this.#next]
    if (task === undefined) return undefined
    // What has run would be kept, with its fiber, until all of these have.
    this.#ready[this.#next] = undefined
    this.#next += 1
    return task
  }
}

/** The tasks of one owner: those of the most urgent priority first, which is the lowest number, and now and then another one. */
class OwnTasks {
  readonly #urgent = new TaskQueue()
  /** The other priorities, the most urgent first; almost always there is none. */
  readonly #others: Array<readonly [priority: number, queue: TaskQueue]> = []
  #inARow = 0

  add(task: Scheduler.Task, priority: number): void {
    if (priority <= 0) return this.#urgent.add(task)
    const known = this.#others.find(([other]) => other === priority)
    if (known !== undefined) return known[1].add(task)
    const queue = new TaskQueue()
    queue.add(task)
    this.#others.push([priority, queue])
    this.#others.sort(([left], [right]) => left - right)
  }

  take(): Scheduler.Task | undefined {
    if (this.#inARow < urgentInARow) {
      const task = this.#urgent.take()
      if (task !== undefined) {
        this.#inARow += 1
        return task
      }
    }
    this.#inARow = 0
    const [, waiting] = this.#others.find(([, queue]) => !queue.isEmpty) ?? []
    return waiting?.take() ?? this.#urgent.take()
  }
}

const soon = Promise.resolve()

/** Runs one task of each owner in turn, a turn's worth at a time. */
export class TurnScheduler implements Scheduler.Scheduler, BreakTaking {
  /** Owners with tasks; the first in the map is next. */
  readonly #owners = new Map<string, OwnTasks>()
  readonly #clock: () => number
  readonly #inBreaks = new Set<() => void>()
  #lastBreakMs = 0
  #isRunning = false
  /** When the current turn ends; `undefined` until it begins. */
  #untilMs: number | undefined
  /** Since when the time is that of sockets, but for what fibers have had of it. */
  #sinceMs = 0
  /** What fibers have had of the time of sockets, in ms. */
  #fibersMs = 0

  /** Over a monotonic clock in ms. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock
  }

  each(work: () => void): () => void {
    this.#inBreaks.add(work)
    return () => void this.#inBreaks.delete(work)
  }

  take(): void {
    this.#isTurnOver()
  }

  /** Queues a task; it runs in this turn of the event loop when the turn has time for it. */
  scheduleTask(task: Scheduler.Task, priority: number, fiber?: Fiber.RuntimeFiber<unknown, unknown>): void {
    const owner = fiber?.getFiberRef(WorkOwner) ?? ""
    let tasks = this.#owners.get(owner)
    if (tasks === undefined) this.#owners.set(owner, (tasks = new OwnTasks()))
    tasks.add(task, priority)
    if (this.#isRunning) return
    this.#isRunning = true
    // Unlike `queueMicrotask`, this makes no asynchronous resource for hooks that nobody has set.
    void soon.then(this.#runAmongSockets)
  }

  /** Like Effect's own scheduler: a fiber yields after a number of operations. */
  shouldYield(fiber: Fiber.RuntimeFiber<unknown, unknown>): number | false {
    return Scheduler.defaultScheduler.shouldYield(fiber)
  }

  #begin(nowMs: number, forMs: number): void {
    this.#untilMs = nowMs + forMs
    this.#sinceMs = nowMs
    setImmediate(this.#endTurn)
  }

  /** Sockets that are read one after another share a turn, which begins with the first of them. */
  #isTurnOver(): boolean {
    const nowMs = this.#clock()
    if (this.#untilMs === undefined) this.#begin(nowMs, turnMs)
    if (nowMs - this.#lastBreakMs >= breakMs) {
      this.#lastBreakMs = nowMs
      for (const work of this.#inBreaks) work()
    }
    return this.#untilMs !== undefined && nowMs >= this.#untilMs
  }

  #run = (): void => {
    while (this.#owners.size > 0) {
      // Iterating a map also visits entries that are added meanwhile, at the end: re-added owners get their next turn last.
      for (const [owner, tasks] of this.#owners) {
        if (this.#isTurnOver()) return
        const task = tasks.take()
        this.#owners.delete(owner)
        if (task === undefined) continue
        this.#owners.set(owner, tasks)
        task()
      }
    }
    this.#isRunning = false
  }

  /** Fibers that begin between two sockets run at once, for a turn. */
  #runAmongSockets = (): void => {
    const beganMs = this.#clock()
    this.#run()
    this.#fibersMs += this.#clock() - beganMs
  }

  /** After the sockets: fibers have what is left of their time. */
  #endTurn = (): void => {
    const nowMs = this.#clock()
    const socketsMs = nowMs - this.#sinceMs - this.#fibersMs
    const leftMs = Math.min(longestTurnMs, Math.max(turnMs, socketsMs)) - this.#fibersMs
    this.#untilMs = undefined
    this.#fibersMs = 0
    if (!this.#isRunning) return
    this.#begin(nowMs, leftMs)
    this.#run()
    this.#sinceMs = this.#clock()
  }
}

/** A layer that provides one such scheduler, and the breaks that it takes, to everything built on it, however often it is built. */
export const layerTurnScheduler = (): Layer.Layer<never> => {
  const scheduler = new TurnScheduler()
  return Layer.merge(Layer.setScheduler(scheduler), Layer.succeed(TurnBreaks, scheduler))
}
