/** The pool's state of one worker slot. */
import { LRUCache } from "lru-cache"
import { EarliestTimer } from "./earliestTimer.ts"
import { OrderProgress } from "../orders/orderProgress.ts"
import type { PoolWorker } from "../workers/poolWorker.ts"
import { noTerms, type TermsOfWorker } from "./poolTerms.ts"

/** A place for a worker. */
export interface Slot {
  readonly place: number
  worker: PoolWorker | undefined
  /** What the worker has, counted along: the same keys in the same order, so that both forget the same. */
  known: LRUCache<string, true>
  /** The terms that the worker has, counted along likewise. */
  terms: TermsOfWorker
  /** Which order the worker is in, and which phase of it. */
  progress: OrderProgress
  /** How many orders the worker has reported on. */
  reports: number
  /** Rings when its running pass may have reached a deadline. */
  readonly watch: EarliestTimer
  /** Ends a spare worker that is not needed. */
  idleTimer: NodeJS.Timeout | undefined
}

/** A place without a worker. `expire` is called when its running pass may have reached a deadline. */
export const emptySlot = (place: number, cachedPrograms: number, expire: (place: number) => void): Slot => ({
  place,
  worker: undefined,
  known: new LRUCache({ max: cachedPrograms }),
  terms: noTerms(),
  progress: new OrderProgress(),
  reports: 0,
  watch: new EarliestTimer(() => expire(place)),
  idleTimer: undefined
})
