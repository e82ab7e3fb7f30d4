/** A scheduler of fibers whose queue can be run until it is empty. */
import { Scheduler } from "effect"

/** Runs fibers in a microtask like Effect's own scheduler, or at once when told to settle. */
export interface SettlingScheduler {
  readonly scheduler: Scheduler.Scheduler
  /** Runs every waiting task and those that they schedule, until none is left. Inside a task it does nothing. */
  readonly settle: () => void
  /** Settles, with turns of the event loop, until promises have nothing more to do either. */
  readonly settleWithPromises: () => Promise<void>
}

const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Makes a scheduler; tasks run in the order of priority, then of arrival. */
export const makeSettlingScheduler = (): SettlingScheduler => {
  const waiting = new Scheduler.PriorityBuckets()
  let settling = false
  let promised = false

  const settle = (): void => {
    if (settling) return
    settling = true
    try {
      while (waiting.buckets.length > 0) {
        const round = waiting.buckets
        waiting.buckets = []
        for (const [, tasks] of round) for (const task of tasks) task()
      }
    } finally {
      settling = false
    }
  }

  const scheduler = Scheduler.make((task, priority) => {
    waiting.scheduleTask(task, priority)
    if (settling || promised) return
    promised = true
    queueMicrotask(() => {
      promised = false
      settle()
    })
  })

  const settleWithPromises = async (): Promise<void> => {
    do {
      settle()
      await turnOfTheLoop()
    } while (waiting.buckets.length > 0)
  }

  return { scheduler, settle, settleWithPromises }
}
