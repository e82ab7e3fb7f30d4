/** Counts what was injected, and decides which call of a store fails, is slow, is not acknowledged, or is the last one of its process. */
import type { SeededRandom } from "./seededRandom.ts"

/** What can be injected. */
export const faultKinds = [
  "store call failed",
  "store call was slow",
  "store acknowledgement was lost",
  "process crashed between two writes",
  "process crashed at once",
  "process was drained",
  "wall clock stepped",
  "upstream failed",
  "upstream was slow",
  "program trapped",
  "program never ended",
  "runtime had a defect",
  "runtime had no worker",
  "client disconnected",
  "client left its request",
  "client stopped reading",
  "client went silent",
  "request was sent twice"
] as const

/** One kind of fault. */
export type FaultKind = (typeof faultKinds)[number]

/** A time in which calls of the stores go wrong, in monotonic ms. */
export interface StoreTrouble {
  readonly untilMs: number
  readonly failPercent: number
  readonly losePercent: number
  readonly slowPercent: number
  readonly slowMs: number
}

/** What becomes of one call of a store. */
export type Fate = { readonly kind: "well" | "fails" | "isLost" } | { readonly kind: "isSlow"; readonly ms: number }

/** The faults of one simulation. */
export class Faults {
  readonly counts = new Map<FaultKind, number>()
  readonly #random: SeededRandom
  readonly #nowMs: () => number
  #trouble: StoreTrouble | undefined
  /** Times in which a store call went wrong: what ended then need not have been charged. */
  readonly storeFaultsAtMs: Array<number> = []
  /** Until when calls may have been slow or have failed at last. */
  slowUntilMs = Number.NEGATIVE_INFINITY

  constructor(random: SeededRandom, nowMs: () => number) {
    this.#random = random
    this.#nowMs = nowMs
  }

  count(kind: FaultKind): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1)
  }

  /** The stores are in trouble from now on, until its end; undefined ends it. */
  setTrouble(trouble: StoreTrouble | undefined): void {
    this.#trouble = trouble
    if (trouble !== undefined) this.slowUntilMs = trouble.untilMs + trouble.slowMs
  }

  /** Whether calls may go wrong now. */
  get isInTrouble(): boolean {
    return this.#trouble !== undefined && this.#nowMs() < this.#trouble.untilMs
  }

  /** Draws what becomes of the next call. */
  fateOfCall(): Fate {
    const trouble = this.#trouble
    if (trouble === undefined || !this.isInTrouble) return { kind: "well" }
    if (this.#random.percent(trouble.failPercent)) return this.#noted("store call failed", { kind: "fails" })
    if (this.#random.percent(trouble.losePercent)) return this.#noted("store acknowledgement was lost", { kind: "isLost" })
    if (!this.#random.percent(trouble.slowPercent)) return { kind: "well" }
    return this.#noted("store call was slow", { kind: "isSlow", ms: this.#random.between(1, trouble.slowMs) })
  }

  #noted(kind: FaultKind, fate: Fate): Fate {
    this.count(kind)
    if (fate.kind !== "isSlow") this.storeFaultsAtMs.push(this.#nowMs())
    return fate
  }
}
