/** Plays traffic to a feed scheduler under a virtual clock, and records what can be observed from outside. */
import type { SimClock } from "../clock/simClock.ts"
import type { FeedLaw } from "./feedModel.ts"
import type { FeedTraffic, PlannedFeed, PlannedRun } from "./feedTraffic.ts"
import type { FeedObservation, ObservedResult, ObservedRun, RunOutcome } from "./observation.ts"

/** What a scheduler reports of one run; `run` is what {@link FeedParts.begin} returned for it, undefined if it was refused. */
export type DeliveredResult = Omit<ObservedResult, "atMs">

/** What a scheduler is given for one feed. */
export interface FeedParts {
  readonly law: FeedLaw
  /**
   * Begins a run. It calls back when the run has ended (at once, if the run takes no time) and returns the run's index among the starts,
   * which its result has to name.
   */
  readonly begin: (ended: (ending: PlannedRun["ending"], run: number) => void) => number
  readonly deliver: (result: DeliveredResult) => void
}

/** A scheduler under test: starts a feed at once, and returns how to stop it. */
export type StartFeed = (parts: FeedParts) => { readonly stop: () => void }

/** A feed's law and its observation. */
export interface WatchedFeed {
  readonly law: FeedLaw
  readonly observation: FeedObservation
}

const outcomeOf = (ending: PlannedRun["ending"]): RunOutcome => (ending === "value" ? "ok" : "failed")

/** Carries out one planned feed and observes it. */
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

  /** The observation; undefined if the feed was never requested. */
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
    // A refused run is visible only by its result.
    if (said.outcome === "refused") this.#runs.push({ startMs: atMs, endMs: atMs, outcome: "refused" })
    this.#results.push({ ...said, run: said.outcome === "refused" ? this.#runs.length - 1 : said.run, atMs })
  }
}

/** Plays a whole session and returns the observation of every feed in it. */
export const playTraffic = (clock: SimClock, startFeed: StartFeed, traffic: FeedTraffic): ReadonlyArray<WatchedFeed> => {
  const originMs = clock.nowMs()
  const watches = traffic.connections.flatMap(({ closeMs, feeds }) => {
    const ofConnection = feeds.map((plan) => ({ plan, watch: new FeedWatch(clock, plan) }))
    for (const { plan, watch } of ofConnection) {
      // A closed client sends no more requests.
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
