/** Instances kept for the next run of their program: resetting one is cheaper than creating a new one. */
import { LRUCache } from "lru-cache"
import { Guest } from "./guest.ts"
import type { PreparedProgram } from "./prepare.ts"

/** Maximum bytes of memories and their initial states: of one instance, and of all. */
const mostBytesOfOne = 4 * 1_048_576
const mostBytes = 64 * 1_048_576

/** Maximum instances: engines reserve ten gigabytes of address space for each memory. */
const mostInstances = 32

/** The instances of one thread. */
export class GuestCache {
  readonly #waiting = new LRUCache<WebAssembly.Module, Guest>({
    max: mostInstances,
    maxSize: mostBytes,
    sizeCalculation: ({ size }) => size + 1
  })
  /** Programs that have run once; most of them never run again here, so a copy of their initial state is not worthwhile. */
  readonly #known = new WeakSet<WebAssembly.Module>()

  /** An instance in its initial state, or the text of what does not fit. It remains owned by the cache. */
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
