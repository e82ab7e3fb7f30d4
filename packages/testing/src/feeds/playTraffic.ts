/** Plays traffic to a scheduler of feeds under a virtual clock, and writes down what could be seen from outside. */
import type { SimClock } from "../clock/simClock.ts"
import type { FeedLaw } from "./feedModel.ts"
import type { FeedTraffic, PlannedFeed, PlannedRun } from "./feedTraffic.ts"
import type { FeedObservation, ObservedResult, ObservedRun, RunOutcome } from "./observation.ts"

/**
 * What a scheduler says of one run; `run` is what {@link FeedParts.begin} gave for it, undefined when it was refused.
 */
export type DeliveredResult = Omit<ObservedResult, "atMs">

/** What a scheduler is given for one feed. */
export interface FeedParts {
  readonly law: FeedLaw
  /**
   * Begins a run. It calls back when the run has ended (now, when the run takes no time) and returns the run's place
   * among the starts, which its result has to name.
   */
  readonly begin: (ended: (ending: PlannedRun["ending"], run: number) => void) => number
  readonly deliver: (result: DeliveredResult) => void
}

/** A scheduler under test: starts a feed at once, and gives the way to stop it. */
export type StartFeed = (parts: FeedParts) => { readonly stop: () => void }

/** A feed's law beside what was seen of it. */
export interface WatchedFeed {
  readonly law: FeedLaw
  readonly observation: FeedObservation
}

const outcomeOf = (ending: PlannedRun["ending"]): RunOutcome => (ending === "value" ? "ok" : "failed")

/** Carries out one planned feed and watches it. */
class FeedWatch {
  readonly #clock: SimClock
  readonly #plan: PlannedFeed
  readonly #runs: Array<ObservedRun> = []
  readonly #results: Array<ObservedResult> = []
  #begun = 0
  #askedMs: number | undefined
  #stopped: FeedObservation["stopped"]
  #feed: { readonly stop: () => void } | undefined

  constructor(clock: SimClock, plan: PlannedFeed) {
    this.#clock = clock
    this.#plan = plan
  }

  start(startFeed: StartFeed): void {
    this.#askedMs = this.#clock.nowMs()
    this.#feed = startFeed({
      law: this.#plan.law,
      begin: (ended) => this.#begin(ended),
      deliver: (result) => this.#note(result)
    })
  }

  stop(): void {
    if (this.#feed === undefined || this.#stopped !== undefined) return
    this.#feed.stop()
    this.#stopped = { atMs: this.#clock.nowMs(), afterResults: this.#results.length }
  }

  /** What was seen; undefined when the feed was never asked for. */
  end(): FeedObservation | undefined {
    if (this.#askedMs === undefined) return undefined
    return {
      askedMs: this.#askedMs,
      runs: [...this.#runs],
      results: [...this.#results],
      stopped: this.#stopped,
      watchedUntilMs: this.#clock.nowMs()
    }
  }

  #begin(ended: (ending: PlannedRun["ending"], run: number) => void): number {
    const { ending, takesMs } = this.#plan.runs[this.#begun % this.#plan.runs.length] ?? { ending: "value", takesMs: 0 }
    const startMs = this.#clock.nowMs()
    const run = this.#runs.push({ startMs, endMs: undefined, outcome: outcomeOf(ending) }) - 1
    this.#begun += 1
    const end = (): void => {
      this.#runs[run] = { startMs, endMs: this.#clock.nowMs(), outcome: outcomeOf(ending) }
      ended(ending, run)
    }
    if (takesMs <= 0) end()
    else this.#clock.at(startMs + takesMs, end)
    return run
  }

  #note(said: DeliveredResult): void {
    const atMs = this.#clock.nowMs()
    // A refused run is seen by its result alone.
    if (said.outcome === "refused") this.#runs.push({ startMs: atMs, endMs: atMs, outcome: "refused" })
    this.#results.push({ ...said, run: said.outcome === "refused" ? this.#runs.length - 1 : said.run, atMs })
  }
}

/** Plays a whole session and gives what was seen of every feed in it. */
export const playTraffic = (clock: SimClock, startFeed: StartFeed, traffic: FeedTraffic): ReadonlyArray<WatchedFeed> => {
  const originMs = clock.nowMs()
  const watches = traffic.connections.flatMap(({ closeMs, feeds }) => {
    const ofConnection = feeds.map((plan) => ({ plan, watch: new FeedWatch(clock, plan) }))
    for (const { plan, watch } of ofConnection) {
      // Whoever has left asks for nothing any more.
      const asks = closeMs === undefined || plan.startMs < closeMs
      if (asks) clock.at(originMs + plan.startMs, () => watch.start(startFeed))
      if (plan.stopMs !== undefined) clock.at(originMs + plan.stopMs, () => watch.stop())
    }
    if (closeMs !== undefined) {
      clock.at(originMs + closeMs, () => {
        for (const { watch } of ofConnection) watch.stop()
      })
    }
    return ofConnection
  })
  for (const { atMs, byMs } of traffic.wallJumps) clock.at(originMs + atMs, () => clock.jumpWall(byMs))
  clock.advance(traffic.watchMs)
  return watches.flatMap(({ plan, watch }) => {
    const observation = watch.end()
    return observation === undefined ? [] : [{ law: plan.law, observation }]
  })
}
