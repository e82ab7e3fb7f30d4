/** Lateness of runs, counted in whole milliseconds from `feed.result`, and the share of runs that took place. */

const maxMs = 60_000

/** Collects runs while it is enabled. */
export class Lateness {
  #counts = new Uint32Array(maxMs + 1)
  #runs = 0
  isOn = false

  /** One run, started this many milliseconds after its scheduled time. */
  add(lateMs) {
    if (!this.isOn) return
    this.#counts[Math.min(maxMs, Math.max(0, lateMs))] += 1
    this.#runs += 1
  }

  /** One `feed.result` as text; its times precede anything that a program can write. */
  addFrame(text) {
    if (!this.isOn || !text.startsWith(`{"jsonrpc":"2.0","method":"feed.result"`)) return
    const scheduled = text.indexOf(`"scheduledAt":`) + 14
    const started = text.indexOf(`"startedAt":`, scheduled) + 12
    this.add(parseInt(text.slice(started, started + 13), 10) - parseInt(text.slice(scheduled, scheduled + 13), 10))
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

/** Measures for some seconds, after a garbage collection, including the processor time. */
export const watch = async (lateness, seconds, feeds, perSecond = 1) => {
  const cpuBefore = process.cpuUsage()
  const before = performance.now()
  lateness.isOn = true
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
  lateness.isOn = false
  const elapsedMs = performance.now() - before
  const { system, user } = process.cpuUsage(cpuBefore)
  const summary = lateness.summary((feeds * perSecond * elapsedMs) / 1_000)
  return {
    ...summary,
    processorShare: (system + user) / 1_000 / elapsedMs,
    processorUsPerRun: (system + user) / summary.runs,
    residentMb: process.memoryUsage().rss / 1e6
  }
}
