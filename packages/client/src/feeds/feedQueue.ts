/** What waits between the connection and the loop over a feed, and what gives way when the loop is slow. */
import type { FeedRun } from "../contract/messages.ts"
import type { GapItem, RunPlace } from "./feedItem.ts"

/**
 * What happens when more than `maxWaiting` runs wait. `buffer`: the oldest give way; `latest`: only the newest waits; `fail`: the loop
 * throws. What gives way is told as a gap.
 */
export type WhenSlow = "buffer" | "latest" | "fail"

/** A run that waits to be read, or a gap. */
export type Waiting = { readonly kind: "run"; readonly run: FeedRun } | GapItem

/** The most gaps that wait between runs. */
const mostGaps = 64

const isBefore = (one: RunPlace, other: RunPlace): boolean => ((one.epoch ?? 0) - (other.epoch ?? 0) || one.seq - other.seq) < 0

const least = (one: RunPlace | undefined, other: RunPlace | undefined) =>
  one === undefined || other === undefined ? undefined : isBefore(other, one) ? other : one

const greatest = (one: RunPlace | undefined, other: RunPlace | undefined) =>
  one === undefined || other === undefined ? undefined : isBefore(one, other) ? other : one

const sum = (one: number | undefined, other: number | undefined) => (one === undefined || other === undefined ? undefined : one + other)

/** Two gaps with nothing between them as one. Places of different feeds cannot be compared: a feed that began anew has an id of its own. */
const joined = (one: GapItem, other: GapItem): GapItem => ({
  kind: "gap",
  why: one.why === other.why ? one.why : "slow",
  feedId: other.feedId,
  missed: sum(one.missed, other.missed),
  from: one.feedId === other.feedId ? least(one.from, other.from) : undefined,
  to: one.feedId === other.feedId ? greatest(one.to, other.to) : undefined
})

const gapOf = ({ epoch, feedId, seq }: FeedRun): GapItem => ({
  kind: "gap",
  why: "slow",
  feedId,
  missed: 1,
  from: { epoch, seq },
  to: { epoch, seq: seq + 1 }
})

/** The runs and gaps that wait, oldest first. */
export class FeedQueue {
  readonly #waiting: Array<Waiting> = []
  readonly #maxRuns: number
  #runs = 0

  /** `maxRuns`: how many runs may wait. */
  constructor(maxRuns: number) {
    this.#maxRuns = maxRuns
  }

  /** How many runs wait. */
  get runs(): number {
    return this.#runs
  }

  /** Adds something; the oldest runs give way to it. */
  push(added: Waiting): void {
    this.#waiting.push(added)
    if (added.kind === "run") this.#runs += 1
    while (this.#runs > this.#maxRuns) this.#dropOldest()
    this.#joinGaps()
  }

  /** Takes the oldest. */
  take(): Waiting | undefined {
    const taken = this.#waiting.shift()
    if (taken?.kind === "run") this.#runs -= 1
    return taken
  }

  #dropOldest(): void {
    const at = this.#waiting.findIndex(({ kind }) => kind === "run")
    const dropped = this.#waiting[at]
    if (dropped?.kind !== "run") return
    this.#runs -= 1
    const gap = gapOf(dropped.run)
    const before = this.#waiting[at - 1]
    if (before?.kind === "gap" && before.why === "slow") this.#waiting.splice(at - 1, 2, joined(before, gap))
    else this.#waiting.splice(at, 1, gap)
  }

  /** Gaps do not wait without bound: the oldest neighbours become one. */
  #joinGaps(): void {
    if (this.#waiting.length - this.#runs <= mostGaps) return
    const at = this.#waiting.findIndex((each, index) => each.kind === "gap" && this.#waiting[index + 1]?.kind === "gap")
    const [one, other] = [this.#waiting[at], this.#waiting[at + 1]]
    if (one?.kind === "gap" && other?.kind === "gap") this.#waiting.splice(at, 2, joined(one, other))
  }
}
