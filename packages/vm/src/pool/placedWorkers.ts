/** The workers at the places of a pool: how they are opened, replaced and ended. */
import { LRUCache } from "lru-cache"
import { OrderProgress } from "../orders/orderProgress.ts"
import type { WorkerReport } from "../orders/messages.ts"
import type { PoolWorker, WorkerEnd } from "../workers/poolWorker.ts"
import type { Dispatcher } from "./dispatcher.ts"
import type { PoolOptions } from "./poolOptions.ts"
import { noTerms } from "./poolTerms.ts"
import type { Ticket } from "./ticket.ts"
import type { Slot } from "./workerSlot.ts"

/** What the worker of a slot has told; only while it is the slot's. */
interface SlotEvents {
  readonly onReport: (slot: Slot, report: WorkerReport) => void
  readonly onUnreadable: (slot: Slot) => void
  readonly onEnd: (slot: Slot, end: WorkerEnd) => void
}

/** How long an unused spare worker is kept: starting one takes some tens of milliseconds. */
const spareIdleMs = 10_000

/** One at each place at most. */
export class PlacedWorkers {
  readonly #options: Pick<PoolOptions, "cachedPrograms" | "openWorker">
  readonly #dispatcher: Dispatcher<Ticket>
  readonly #events: SlotEvents
  readonly #ending = new Set<Promise<unknown>>()
  #closed = false

  constructor(options: Pick<PoolOptions, "cachedPrograms" | "openWorker">, dispatcher: Dispatcher<Ticket>, events: SlotEvents) {
    this.#options = options
    this.#dispatcher = dispatcher
    this.#events = events
  }

  /** Terminated workers that have not ended yet. */
  get ending(): number {
    return this.#ending.size
  }

  start(slot: Slot): void {
    // New memory for each worker: one that was terminated may still be writing.
    slot.progress = new OrderProgress()
    slot.reports = 0
    const { cachedPrograms, openWorker } = this.#options
    const ifPresent =
      <A extends ReadonlyArray<unknown>>(act: (slot: Slot, ...told: A) => void) =>
      (...told: A): void => {
        if (slot.worker === worker) act(slot, ...told)
      }
    const { onEnd, onReport, onUnreadable } = this.#events
    const worker: PoolWorker = openWorker(cachedPrograms, slot.progress, {
      onReport: ifPresent(onReport),
      onUnreadable: ifPresent(onUnreadable),
      onEnd: ifPresent(onEnd)
    })
    slot.worker = worker
    this.forgetKnown(slot)
    this.#dispatcher.started(slot.place)
  }

  /** Counts on nothing that the worker may have: it is sent again. */
  forgetKnown(slot: Slot): void {
    slot.known = new LRUCache({ max: this.#options.cachedPrograms })
    slot.terms = noTerms()
  }

  /** The worker is gone; what lay ahead there waits again. */
  leave(slot: Slot): void {
    slot.worker = undefined
    for (const ticket of this.#dispatcher.gone(slot.place)) ticket.place = undefined
    clearTimeout(slot.idleTimer)
    slot.watch.clear()
  }

  /** Terminates the worker and puts a new one there, unless the place is spare. */
  replace(slot: Slot): void {
    this.#stop(slot)
    this.#startIfRegular(slot)
  }

  /** Puts a worker where one ended by itself, unless the place is spare. */
  succeed(slot: Slot): void {
    this.#startIfRegular(slot)
  }

  /** Ends a spare worker that has nothing to do for some time. */
  keepForAWhile(slot: Slot): void {
    if (!this.#dispatcher.isSpare(slot.place) || this.#dispatcher.running(slot.place) !== undefined) return
    clearTimeout(slot.idleTimer)
    slot.idleTimer = setTimeout(() => this.#stop(slot), spareIdleMs).unref()
  }

  /** Terminates those of these slots, starts no others any more, and waits until all have ended. */
  async close(slots: ReadonlyArray<Slot>): Promise<void> {
    this.#closed = true
    for (const slot of slots) this.#stop(slot)
    await Promise.all(this.#ending)
  }

  #startIfRegular(slot: Slot): void {
    if (!this.#closed && !this.#dispatcher.isSpare(slot.place)) this.start(slot)
  }

  #stop(slot: Slot): void {
    const { worker } = slot
    this.leave(slot)
    if (worker === undefined) return
    const ended = worker.terminate().finally(() => this.#ending.delete(ended))
    this.#ending.add(ended)
  }
}
