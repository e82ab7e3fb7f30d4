/** A small feed scheduler with a rule for every law: correct by default, faulty with one rule overridden. */
import type { SimClock } from "../clock/simClock.ts"
import { startAfter } from "./feedModel.ts"
import type { PlannedRun } from "./feedTraffic.ts"
import type { FeedParts, DeliveredResult, StartFeed } from "./playTraffic.ts"

/** A completed run, as the rules see it. */
export interface PlainRun {
  readonly parts: FeedParts
  readonly originMs: number
  /** In the order of starts. */
  readonly seq: number
  readonly startMs: number
  readonly endMs: number
  readonly ending: PlannedRun["ending"]
}

/** The rules of a feed; a faulty one overrides some. */
export interface FeedRules {
  /** Whether a run waits for the previous one. */
  readonly waits: (run: Pick<PlainRun, "parts">) => boolean
  /** Milliseconds before run 0. */
  readonly firstAfterMs: (parts: FeedParts) => number
  /** When the runs that follow this one are due; an empty list ends the feed. */
  readonly dueAfter: (run: PlainRun) => ReadonlyArray<number>
  /** Whether one more run is refused; "dropped" refuses it without a result. */
  readonly refusal: (inFlight: number, max: number) => "none" | "told" | "dropped"
  /** Delivers the result of a run; `nowMs` and `at` are of the clock. */
  readonly deliver: (result: DeliveredResult, deliver: FeedParts["deliver"], clock: SimClock) => void
  /** What a stop prevents. */
  readonly stops: { readonly starts: boolean; readonly results: boolean }
}

/** The correct rules. */
export const correctRules: FeedRules = {
  waits: ({ parts }) => parts.law.mode !== "PARALLEL",
  firstAfterMs: () => 0,
  dueAfter: ({ endMs, originMs, parts, seq, startMs }) => [startAfter(parts.law, originMs, seq, { startMs, endMs })],
  refusal: (inFlight, max) => (inFlight >= max ? "told" : "none"),
  deliver: (result, deliver) => deliver(result),
  stops: { starts: true, results: true }
}

/** One running feed. */
class PlainFeed {
  readonly #clock: SimClock
  readonly #parts: FeedParts
  readonly #rules: FeedRules
  readonly #originMs: number
  #seq = 0
  #inFlight = 0
  #stopped = false

  constructor(clock: SimClock, parts: FeedParts, rules: FeedRules) {
    this.#clock = clock
    this.#parts = parts
    this.#rules = rules
    this.#originMs = clock.nowMs()
    this.#startAt(this.#originMs + rules.firstAfterMs(parts))
  }

  stop(): void {
    this.#stopped = true
  }

  #startAt(dueMs: number): void {
    if (dueMs <= this.#clock.nowMs()) this.#start(dueMs)
    else this.#clock.at(dueMs, () => this.#start(dueMs))
  }

  #start(dueMs: number): void {
    if (this.#stopped && this.#rules.stops.starts) return
    const startMs = this.#clock.nowMs()
    const seq = this.#seq
    this.#seq += 1
    const waits = this.#rules.waits({ parts: this.#parts })
    const follow = (endMs: number, ending: PlannedRun["ending"]): void => {
      const run = { parts: this.#parts, originMs: this.#originMs, seq, startMs, endMs, ending }
      for (const nextMs of this.#rules.dueAfter(run)) this.#startAt(nextMs)
    }
    if (!waits) follow(startMs, "value")
    const times = { seq, scheduledAtMs: Math.round(dueMs), startedAtMs: Math.round(startMs) }
    const { maxOverlap, mode } = this.#parts.law
    const refusal = mode === "PARALLEL" ? this.#rules.refusal(this.#inFlight, maxOverlap) : "none"
    if (refusal === "told") this.#deliver({ ...times, run: undefined, outcome: "refused" })
    if (refusal !== "none") return
    this.#inFlight += 1
    this.#parts.begin((ending, run) => {
      this.#inFlight -= 1
      this.#deliver({ ...times, run, outcome: ending === "value" ? "ok" : "failed" })
      if (waits) follow(this.#clock.nowMs(), ending)
    })
  }

  #deliver(result: DeliveredResult): void {
    if (this.#stopped && this.#rules.stops.results) return
    this.#rules.deliver(result, this.#parts.deliver, this.#clock)
  }
}

/** A scheduler with some rules overridden. */
export const plainFeeds =
  (clock: SimClock, overrides: Partial<FeedRules> = {}): StartFeed =>
  (parts) =>
    new PlainFeed(clock, parts, { ...correctRules, ...overrides })
