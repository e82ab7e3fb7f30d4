/** The pool's state of one worker slot, and of the pass it was given. */
import { LRUCache } from "lru-cache"
import type { WaitingPass } from "./turns.ts"
import { OrderProgress } from "../orders/orderProgress.ts"
import type { PassJob, PassReply } from "./passJob.ts"
import type { PoolWorker } from "../workers/poolWorker.ts"

/** A job and the callback for its reply. */
export interface Ticket extends WaitingPass {
  job: PassJob
  /** Mutable here: what is run again has begun. */
  first: boolean
  /** Whether its first worker was lost. */
  isSecond: boolean
  readonly reply: (reply: PassReply) => void
  /** Where its worker is; undefined while it waits for one. */
  place: number | undefined
  /** Ends the waiting for a worker, then the pass. */
  timer: NodeJS.Timeout | undefined
  /** Called when it is abandoned while it waits. */
  onAbandoned: (() => void) | undefined
}

/** A pass that is over, and how long it took. */
export interface EndedPass {
  readonly ticket: Ticket
  readonly elapsedMs: number
}

/** It waits no longer, whatever the reason. */
export const stopWaiting = (ticket: Ticket): void => {
  clearTimeout(ticket.timer)
  if (ticket.onAbandoned !== undefined) ticket.job.abandoned?.removeEventListener("abort", ticket.onAbandoned)
  ticket.onAbandoned = undefined
}

/** A place for a worker. */
export interface Slot {
  readonly place: number
  worker: PoolWorker | undefined
  /** What the worker has, counted along: the same keys in the same order, so that both forget the same. */
  known: LRUCache<string, true>
  /** Which phase of its order the worker is in. */
  progress: OrderProgress
  /** Ends a spare worker that is not needed. */
  idleTimer: NodeJS.Timeout | undefined
}

/** A place without a worker. */
export const emptySlot = (place: number, cachedPrograms: number): Slot => ({
  place,
  worker: undefined,
  known: new LRUCache({ max: cachedPrograms }),
  progress: new OrderProgress(),
  idleTimer: undefined
})
