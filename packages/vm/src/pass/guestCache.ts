/** Instances that wait for the next run of their program: putting one back to its first state is cheaper than a new one. */
import { LRUCache } from "lru-cache"
import { Guest } from "./guest.ts"
import type { PreparedProgram } from "./prepare.ts"

/** What may wait, in bytes of memories and their first states: of one instance, and of all. */
const mostBytesOfOne = 4 * 1_048_576
const mostBytes = 64 * 1_048_576

/** How many may wait: engines set ten gigabytes of addresses aside for each memory. */
const mostInstances = 32

/** The instances of one thread. */
export class GuestCache {
  readonly #waiting = new LRUCache<WebAssembly.Module, Guest>({
    max: mostInstances,
    maxSize: mostBytes,
    sizeCalculation: ({ size }) => size + 1
  })
  /** Programs that have run once; most of those never run again here, and their first state is not worth a copy. */
  readonly #known = new WeakSet<WebAssembly.Module>()

  /** An instance in its first state, or the text of what does not fit. It stays the cache's. */
  open({ fast, link, restorable }: PreparedProgram): Guest | string {
    const waiting = this.#waiting.get(fast)
    if (waiting?.restore() === true) return waiting
    this.#waiting.delete(fast)
    const guest = Guest.open(fast, link)
    if (typeof guest === "string" || !restorable) return guest
    if (!this.#known.has(fast)) this.#known.add(fast)
    else {
      guest.remember()
      if (guest.size <= mostBytesOfOne) this.#waiting.set(fast, guest)
    }
    return guest
  }
}
