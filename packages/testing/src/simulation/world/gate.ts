/** What lies between one process and its stores: calls that fail, are slow or are not acknowledged, and the write after which it crashes. */
import { StoreUnavailable } from "@sibyl/core"
import { Effect } from "effect"
import type { Faults } from "./faults.ts"
import type { ProcessTime } from "./processTime.ts"

/** Nothing follows. Effect's own `never` would keep the real process alive with a timer. */
const nothing: Effect.Effect<never> = Effect.async<never>(() => {})

/** A method of a store, as a process calls it. */
type Method = (...args: ReadonlyArray<never>) => unknown

/** The gate of one life of a process. */
export class Gate {
  readonly #time: ProcessTime
  readonly #faults: Faults
  readonly #crash: () => void
  /** How many writes are left until the crash, and whether it comes before or after the last of them. */
  #crashIn: { writes: number; readonly after: boolean } | undefined

  /** `crash` kills the process. */
  constructor(time: ProcessTime, faults: Faults, crash: () => void) {
    this.#time = time
    this.#faults = faults
    this.#crash = crash
  }

  /** The process will crash at one of its next writes: before that write happens, or after it and before its answer. */
  crashAtWrite(writes: number, after: boolean): void {
    this.#crashIn = { writes, after }
  }

  /** Whether the process crashes at this write, and when. */
  crashOfWrite(): "before" | "after" | undefined {
    const crash = this.#crashIn
    if (crash === undefined) return undefined
    crash.writes -= 1
    if (crash.writes > 0) return undefined
    this.#crashIn = undefined
    return crash.after ? "after" : "before"
  }

  /** Kills the process; nothing follows. */
  readonly crash: Effect.Effect<never> = Effect.suspend(() => {
    this.#faults.count("process crashed between two writes")
    this.#crash()
    return nothing
  })

  /** One call. A write that was begun is not interrupted: a caller that leaves must not undo half of it. */
  around<A, E>(isWrite: boolean, call: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      if (!this.#time.isAlive) return nothing
      const crash = isWrite ? this.crashOfWrite() : undefined
      if (crash === "before") return this.crash
      if (crash === "after") return Effect.zipRight(call, this.crash)
      const fate = this.#faults.fateOfCall()
      switch (fate.kind) {
        case "well":
          return call
        case "fails":
          return Effect.die(new StoreUnavailable("the store does not answer"))
        case "isLost":
          return Effect.zipRight(call, Effect.die(new StoreUnavailable("the answer of the store was lost")))
        case "isSlow":
          return Effect.uninterruptible(Effect.zipLeft(call, Effect.sleep(fate.ms)))
      }
    })
  }

  /** A store whose calls go through the gate; `reading` names the methods that write nothing. */
  store<Store extends object>(store: Store, reading: ReadonlyArray<keyof Store>): Store {
    const gated = Object.entries(store).map(([name, method]) => {
      if (typeof method !== "function") return [name, method as unknown]
      const isWrite = !reading.some((known) => known === name)
      const through = (...args: ReadonlyArray<never>): unknown => {
        const answer = (method as Method)(...args)
        return Effect.isEffect(answer) ? this.around(isWrite, answer as Effect.Effect<unknown, unknown>) : answer
      }
      return [name, through]
    })
    return Object.fromEntries(gated) as Store
  }
}
