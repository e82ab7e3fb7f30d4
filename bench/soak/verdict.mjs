/** What a soak has shown, as lines with a verdict each. */

const quantile = (list = [], share) => {
  const sorted = list.toSorted((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
}

const ms = (value) => (value === undefined ? "-" : `${value.toFixed(value < 10 ? 1 : 0)} ms`)
const mb = (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MB`
const worst = (list) => list.reduce((left, right) => Math.max(left, right), 0)

/** The price of one run of the trivial program. */
const creditsPerRun = 16n

/** Under load and at rest. */
const slowdown = (times, name) => {
  const [rest, load] = [times.rest?.[name], times.load?.[name]]
  return `p50 ${ms(quantile(load, 0.5))}, p99 ${ms(quantile(load, 0.99))} of ${load?.length ?? 0} (at rest p99 ${ms(quantile(rest, 0.99))})`
}

/** When the last slow or refused answer came, in ms since the load ended. */
const recoveredMs = (since, slowMs) =>
  worst(
    Object.values(since)
      .flat()
      .filter(({ status, tookMs }) => status !== 200 || tookMs > slowMs)
      .map(({ atMs }) => atMs)
  )

/** The most memory in the last third of the load against the first; what the process takes as it warms up is not counted. */
const growth = (samples) => {
  const third = Math.floor(samples.length / 3)
  return { firstBytes: worst(samples.slice(0, third)), lastBytes: worst(samples.slice(-third)), worstBytes: worst(samples) }
}

const troublesOf = (others, name) => others.load?.[name]?.length ?? 0

/** How many, and what they were. */
const shownTroubles = (others, name) => {
  const kinds = [...new Set(others.load?.[name])]
  return `${troublesOf(others, name)}${kinds.length === 0 ? "" : ` (${kinds.join(", ")})`}`
}

/** The figures of a soak as lines, and whether every target is kept. */
export const verdictOf = ({ capacity, load, memory, seen: { others, since, times }, usedCredits }) => {
  const { 200: answered = 0, 429: limited = 0, 503: refused = 0, ...rest } = load.statuses
  const { firstBytes, lastBytes, worstBytes } = growth(memory)
  const strange = Object.entries(rest).map(([status, count]) => `${count} of ${status}`)
  const recovered = recoveredMs(since, 250)
  const rows = [
    [
      "answered",
      `${answered} runs, ${(answered / load.seconds).toFixed(0)} a second; p50 ${ms(load.ok.p50Ms)}, p99 ${ms(load.ok.p99Ms)}`,
      answered / load.seconds >= capacity / 2
    ],
    ["refused", `${limited} with 429, ${refused} with 503; p50 ${ms(load.refused.p50Ms)}, p99 ${ms(load.refused.p99Ms)}`, true],
    [
      "Retry-After",
      `missing on ${load.withoutRetryAfter} refusals; other answers: ${strange.join(", ") || "none"}`,
      load.withoutRetryAfter === 0 && strange.length === 0
    ],
    [
      "connections",
      `${load.broken} broken ${JSON.stringify(load.faults)}, ${load.unanswered} unanswered, ${load.unsent} unsent, ${load.again} sent again, ${load.connections} open`,
      load.broken + load.unanswered === 0
    ],
    ["patience", `${load.late} answers later than 10 s`, load.late === 0],
    ["/health", slowdown(times, "health"), quantile(times.load?.health, 0.99) <= 250 && troublesOf(others, "health") === 0],
    [
      "/health anew",
      slowdown(times, "healthAnew"),
      quantile(times.load?.healthAnew, 0.99) <= 1_000 && troublesOf(others, "healthAnew") === 0
    ],
    ["remembered", slowdown(times, "remembered"), quantile(times.load?.remembered, 0.99) <= 250 && troublesOf(others, "remembered") === 0],
    ["idempotency", slowdown(times, "replayed"), quantile(times.load?.replayed, 0.99) <= 250 && troublesOf(others, "replayed") === 0],
    ["another project", `${slowdown(times, "run")}, refused ${shownTroubles(others, "run")}`, troublesOf(others, "run") === 0],
    ["charged", `${usedCredits} credits for ${answered} runs`, usedCredits === BigInt(answered) * creditsPerRun],
    [
      "memory",
      `${mb(firstBytes)} at most in the first third, ${mb(lastBytes)} in the last, ${mb(worstBytes)} in all`,
      lastBytes <= firstBytes * 1.15
    ],
    ["recovered", `${(recovered / 1_000).toFixed(1)} s after the load`, recovered <= 5_000]
  ]
  const lines = rows.map(([what, shown, isKept]) => `${isKept ? "ok    " : "MISSED"} ${what.padEnd(16)} ${shown}`)
  return { lines, isKept: rows.every(([, , isKept]) => isKept) }
}
