/** A small scheduler of feeds with a screw for every law: right as it stands, wrong in one way with a screw turned. */
import type { SimClock } from "../clock/simClock.ts"
import { startAfter } from "./feedModel.ts"
import type { PlannedRun } from "./feedTraffic.ts"
import type { FeedParts, SaidResult, StartFeed } from "./playTraffic.ts"

/** A run that ended, as the screws see it. */
export interface PlainRun {
  readonly parts: FeedParts
  readonly originMs: number
  /** In the order of starts. */
  readonly seq: number
  readonly startMs: number
  readonly endMs: number
  readonly ending: PlannedRun["ending"]
}

/** What can be turned. */
export interface Screws {
  /** Whether a run waits for the one before. */
  readonly waits: (run: Pick<PlainRun, "parts">) => boolean
  /** Milliseconds before run 0. */
  readonly firstAfterMs: (parts: FeedParts) => number
  /** When the runs that follow this one are due; none ends the feed. */
  readonly dueAfter: (run: PlainRun) => ReadonlyArray<number>
  /** Whether one more run is refused; "dropped" refuses it without a word. */
  readonly refusal: (inFlight: number, max: number) => "none" | "told" | "dropped"
  /** Says the result of a run; `nowMs` and `at` are of the clock. */
  readonly say: (result: SaidResult, deliver: FeedParts["deliver"], clock: SimClock) => void
  /** What a stop keeps from happening. */
  readonly stops: { readonly starts: boolean; readonly results: boolean }
}

/** All screws as the laws want them. */
export const rightScrews: Screws = {
  waits: ({ parts }) => parts.law.mode !== "PARALLEL",
  firstAfterMs: () => 0,
  dueAfter: ({ endMs, originMs, parts, seq, startMs }) => [startAfter(parts.law, originMs, seq, { startMs, endMs })],
  refusal: (inFlight, max) => (inFlight >= max ? "told" : "none"),
  say: (result, deliver) => deliver(result),
  stops: { starts: true, results: true }
}

/** One feed at work. */
class PlainFeed {
  readonly #clock: SimClock
  readonly #parts: FeedParts
  readonly #screws: Screws
  readonly #originMs: number
  #seq = 0
  #inFlight = 0
  #stopped = false

  constructor(clock: SimClock, parts: FeedParts, screws: Screws) {
    this.#clock = clock
    this.#parts = parts
    this.#screws = screws
    this.#originMs = clock.nowMs()
    this.#startAt(this.#originMs + screws.firstAfterMs(parts))
  }

  stop(): void {
    this.#stopped = true
  }

  #startAt(dueMs: number): void {
    if (dueMs <= this.#clock.nowMs()) this.#start(dueMs)
    else this.#clock.at(dueMs, () => this.#start(dueMs))
  }

  #start(dueMs: number): void {
    if (this.#stopped && this.#screws.stops.starts) return
    const startMs = this.#clock.nowMs()
    const seq = this.#seq
    this.#seq += 1
    const waits = this.#screws.waits({ parts: this.#parts })
    const follow = (endMs: number, ending: PlannedRun["ending"]): void => {
      const run = { parts: this.#parts, originMs: this.#originMs, seq, startMs, endMs, ending }
      for (const nextMs of this.#screws.dueAfter(run)) this.#startAt(nextMs)
    }
    if (!waits) follow(startMs, "value")
    const times = { seq, scheduledAtMs: Math.round(dueMs), startedAtMs: Math.round(startMs) }
    const { maxOverlap, mode } = this.#parts.law
    const refusal = mode === "PARALLEL" ? this.#screws.refusal(this.#inFlight, maxOverlap) : "none"
    if (refusal === "told") this.#say({ ...times, run: undefined, outcome: "refused" })
    if (refusal !== "none") return
    this.#inFlight += 1
    this.#parts.begin((ending, run) => {
      this.#inFlight -= 1
      this.#say({ ...times, run, outcome: ending === "value" ? "ok" : "failed" })
      if (waits) follow(this.#clock.nowMs(), ending)
    })
  }

  #say(result: SaidResult): void {
    if (this.#stopped && this.#screws.stops.results) return
    this.#screws.say(result, this.#parts.deliver, this.#clock)
  }
}

/** A scheduler with some screws turned. */
export const plainFeeds = (clock: SimClock, turned: Partial<Screws> = {}): StartFeed => (parts) =>
  new PlainFeed(clock, parts, { ...rightScrews, ...turned })
