/** A fair fiber scheduler: it yields to sockets and timers, and projects take turns. */
import { type BreakTaking, TurnBreaks, WorkOwner } from "@sibyl/core/internal"
import { type Fiber, Layer, Scheduler } from "effect"
import { OwnersInTurns } from "./ownersInTurns.ts"

/** How long fibers run before sockets and timers get a turn, in ms. Effect's own scheduler goes on while any fiber is ready. */
const turnMs = 3

/** The same when sockets took longer: fibers then have as long as they had, so that refusing requests leaves half of the time to runs. */
const longestTurnMs = 50

/** How often what cannot wait for the end of a turn is done during it, in ms. */
const breakMs = 1

const soon = Promise.resolve()

/** Runs one task of each owner in turn, a turn's worth at a time. */
export class TurnScheduler implements Scheduler.Scheduler, BreakTaking {
  readonly #owners = new OwnersInTurns()
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
    this.#owners.add(fiber?.getFiberRef(WorkOwner) ?? "", task, priority)
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
    while (!this.#owners.isEmpty) {
      if (this.#isTurnOver()) return
      this.#owners.take()?.()
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
