/** A scheduler of fibers that lets the event loop have its turn: sockets and timers never wait for all fibers that are ready. */
import { Layer, Scheduler } from "effect"

/** How long fibers run before sockets and timers have their turn, ms. Effect's own scheduler goes on while any is ready. */
const turnMs = 10

/** Runs tasks in the order of their priority, then of their arrival, a turn's worth at a time. */
export class TurnScheduler implements Scheduler.Scheduler {
  readonly #arrived = new Scheduler.PriorityBuckets()
  #ready: Array<Scheduler.Task> = []
  #next = 0
  #isRunning = false

  /** Queues a task; it runs in this turn of the event loop when the turn has time for it. */
  scheduleTask(task: Scheduler.Task, priority: number): void {
    this.#arrived.scheduleTask(task, priority)
    if (this.#isRunning) return
    this.#isRunning = true
    queueMicrotask(this.#run)
  }

  /** As Effect's own scheduler: after so many operations a fiber makes room for others. */
  shouldYield(fiber: Parameters<Scheduler.Scheduler["shouldYield"]>[0]): number | false {
    return Scheduler.defaultScheduler.shouldYield(fiber)
  }

  #run = (): void => {
    const untilMs = performance.now() + turnMs
    for (;;) {
      const task = this.#take()
      if (task === undefined) {
        this.#isRunning = false
        return
      }
      task()
      if (performance.now() >= untilMs) {
        setImmediate(this.#run)
        return
      }
    }
  }

  #take(): Scheduler.Task | undefined {
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

/** Gives one such scheduler to everything that is built on it. */
export const layerTurnScheduler: Layer.Layer<never> = Layer.suspend(() => Layer.setScheduler(new TurnScheduler()))
