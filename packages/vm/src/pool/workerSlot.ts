/** What the pool knows of a worker, and of what it was given. */
import type { Worker } from "node:worker_threads"
import { LRUCache } from "lru-cache"
import type { WaitingPass } from "./turns.ts"
import type { PassJob, PassReply } from "./passJob.ts"

/** A job and who waits for its reply. */
export interface Ticket extends WaitingPass {
  readonly job: PassJob
  readonly reply: (reply: PassReply) => void
  /** Whether a worker has it, or had it. */
  isGiven: boolean
  /** Ends the waiting for a worker. */
  timer: NodeJS.Timeout | undefined
}

/** A place for a worker. */
export interface Slot {
  readonly isSpare: boolean
  worker: Worker | undefined
  ready: boolean
  /** What the worker has, counted along: the same keys in the same order, so that both forget the same. */
  known: LRUCache<string, true>
  running: { readonly ticket: Ticket; readonly sinceMs: number; readonly timer: NodeJS.Timeout } | undefined
  /** Ends a spare worker that is not needed. */
  idleTimer: NodeJS.Timeout | undefined
}

/** A place without a worker. */
export const emptySlot = (isSpare: boolean, cachedPrograms: number): Slot => ({
  isSpare,
  worker: undefined,
  ready: false,
  known: new LRUCache({ max: cachedPrograms }),
  running: undefined,
  idleTimer: undefined
})
