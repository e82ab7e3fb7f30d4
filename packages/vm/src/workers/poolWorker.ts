/** What carries out the orders of the pool, a thread or a process, and what it tells. */
import type { PassOrder, WorkerReport } from "../orders/messages.ts"
import type { WorkerLoss } from "../tape/tape.ts"

/** How a worker ended that nobody terminated. */
export interface WorkerEnd {
  /** For the operator. */
  readonly reason: string
  /** Set if only this worker is gone, so that its order can be given to another one. */
  readonly loss?: WorkerLoss
}

/** What a worker tells. */
export interface WorkerEvents {
  readonly onReport: (report: WorkerReport) => void
  /** A report could not be read. */
  readonly onUnreadable: () => void
  /** It has ended, whatever the reason. */
  readonly onEnd: (end: WorkerEnd) => void
}

/** A worker that has been started; it reports when it is ready. */
export interface PoolWorker {
  readonly give: (order: PassOrder) => void
  /** What it has not begun of the orders after `after` and up to `upTo`, counted from 1, is to be left out; it reports each. */
  readonly recall: (after: number, upTo: number) => void
  /** Takes a report that has arrived without waiting until the event loop comes to it; whether there was one. */
  readonly takeReport: () => boolean
  /** Resolves when it has ended. */
  readonly terminate: () => Promise<void>
}
