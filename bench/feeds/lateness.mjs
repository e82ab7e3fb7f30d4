/** Lateness of runs, counted in whole milliseconds from `feed.result`, and the share of runs that took place. */
import { rest } from "./startEvenly.mjs"

const maxMs = 60_000

/** How long results are waited for after the last time of a schedule that counts. */
const graceMs = 1_000

/** Collects the runs whose scheduled time is within some span: a feed has as many of those as it has periods in the span, whenever their results arrive. */
export class Lateness {
  #counts = new Uint32Array(maxMs + 1)
  #runs = 0
  #fromMs = Infinity
  #untilMs = Infinity

  /** From now on, runs scheduled from `fromMs` on and before `untilMs` count. */
  count(fromMs, untilMs) {
    this.#fromMs = fromMs
    this.#untilMs = untilMs
  }

  /** One run, by the times of its result. */
  add(scheduledAtMs, startedAtMs) {
    if (scheduledAtMs < this.#fromMs || scheduledAtMs >= this.#untilMs) return
    const lateMs = startedAtMs - scheduledAtMs
    this.#counts[Math.min(maxMs, Math.max(0, lateMs))] += 1
    this.#runs += 1
  }

  /** One `feed.result` as text; its times precede anything that a program can write. */
  addFrame(text) {
    if (!text.startsWith(`{"jsonrpc":"2.0","method":"feed.result"`)) return
    const scheduled = text.indexOf(`"scheduledAt":`) + 14
    const started = text.indexOf(`"startedAt":`, scheduled) + 12
    this.add(parseInt(text.slice(scheduled, scheduled + 13), 10), parseInt(text.slice(started, started + 13), 10))
  }

  /** The lateness that `share` of the runs do not exceed. */
  #quantile(share) {
    let seen = 0
    for (let late = 0; late <= maxMs; late += 1) {
      seen += this.#counts[late]
      if (seen >= share * this.#runs) return late
    }
    return maxMs
  }

  /** The summary of `expected` runs. A run that is dropped or still to come has not started on time. */
  summary(expected) {
    return {
      runs: this.#runs,
      startedShare: this.#runs / expected,
      p50Ms: this.#quantile(0.5),
      p99Ms: this.#quantile(0.99),
      maxMs: this.#quantile(1)
    }
  }
}

/** Measures feeds of one second for some seconds, including the processor time, and waits for the last results; `spanIsOver` is called before that wait. */
export const watch = async (lateness, seconds, feeds, spanIsOver = () => {}) => {
  const spanMs = seconds * 1_000
  const startsAtMs = Date.now() + 1
  lateness.count(startsAtMs, startsAtMs + spanMs)
  const cpuBefore = process.cpuUsage()
  const before = performance.now()
  await rest(spanMs)
  const { system, user } = process.cpuUsage(cpuBefore)
  const elapsedMs = performance.now() - before
  spanIsOver()
  await rest(graceMs)
  const summary = lateness.summary(feeds * seconds)
  return {
    ...summary,
    processorShare: (system + user) / 1_000 / elapsedMs,
    processorUsPerRun: (system + user) / summary.runs,
    residentMb: process.memoryUsage().rss / 1e6
  }
}
