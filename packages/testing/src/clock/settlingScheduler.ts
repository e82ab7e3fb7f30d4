/** A scheduler of fibers whose queue can be emptied at once: then nothing is left to do until something happens. */
import { Scheduler } from "effect"

/** Runs fibers in a microtask like Effect's own scheduler, or right away when it is told to settle. */
export interface SettlingScheduler {
  readonly scheduler: Scheduler.Scheduler
  /** Runs every task that waits, and those that they bring, until none is left. Inside a task it does nothing. */
  readonly settle: () => void
  readonly isIdle: () => boolean
}

/** Makes one; tasks run in the order of their priority, then of their arrival. */
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

  return { scheduler, settle, isIdle: () => waiting.buckets.length === 0 }
}
