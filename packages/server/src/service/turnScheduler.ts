/** A scheduler of fibers that is fair: sockets and timers have their turn, and projects take turns with each other. */
import { WorkOwner } from "@sibyl/core/internal"
import { type Fiber, Layer, Scheduler } from "effect"

/** How long fibers run before sockets and timers have their turn, ms. Effect's own scheduler goes on while any is ready. */
const turnMs = 10

/** The tasks of one owner, in the order of their priority, then of their arrival. */
class OwnTasks {
  readonly #arrived = new Scheduler.PriorityBuckets()
  #ready: Array<Scheduler.Task> = []
  #next = 0

  add(task: Scheduler.Task, priority: number): void {
    this.#arrived.scheduleTask(task, priority)
  }

  take(): Scheduler.Task | undefined {
    if (this.#next === this.#ready.length) {
      this.#ready = this.#arrived.buckets.flatMap(([, tasks]) => tasks)
      this.#arrived.buckets = []
      this.#next = 0
    }
    const task = this.#ready[this.#next]
    if (task !== undefined) this.#next += 1
    return task
  }
}

/** Runs one task of each owner in turn, a turn's worth at a time. */
export class TurnScheduler implements Scheduler.Scheduler {
  /** Owners with tasks; who is first in the map is next. */
  readonly #owners = new Map<string, OwnTasks>()
  #isRunning = false
  /** When the current turn is over; `undefined` until it begins. */
  #untilMs: number | undefined

  /** Queues a task; it runs in this turn of the event loop when the turn has time for it. */
  scheduleTask(task: Scheduler.Task, priority: number, fiber?: Fiber.RuntimeFiber<unknown, unknown>): void {
    const owner = fiber?.getFiberRef(WorkOwner) ?? ""
    let tasks = this.#owners.get(owner)
    if (tasks === undefined) this.#owners.set(owner, (tasks = new OwnTasks()))
    tasks.add(task, priority)
    if (this.#isRunning) return
    this.#isRunning = true
    queueMicrotask(this.#run)
  }

  /** As Effect's own scheduler: after so many operations a fiber makes room for others. */
  shouldYield(fiber: Fiber.RuntimeFiber<unknown, unknown>): number | false {
    return Scheduler.defaultScheduler.shouldYield(fiber)
  }

  /** Sockets that are read one after another share one turn; it begins with the first of them. */
  #isTurnOver(): boolean {
    const nowMs = performance.now()
    if (this.#untilMs === undefined) {
      this.#untilMs = nowMs + turnMs
      setImmediate(this.#endTurn)
    }
    return nowMs >= this.#untilMs
  }

  #run = (): void => {
    while (this.#owners.size > 0) {
      // A map that is added to while it is walked gives what was added at the end: that is whose turn comes last.
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

  #endTurn = (): void => {
    this.#untilMs = undefined
    if (this.#isRunning) this.#run()
  }
}

/** Gives one such scheduler to everything that is built on it. */
export const layerTurnScheduler: Layer.Layer<never> = Layer.suspend(() => Layer.setScheduler(new TurnScheduler()))
