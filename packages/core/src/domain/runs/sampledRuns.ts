/** Which runs of a feed are logged: its first, failed ones, and one in each interval; each line counts those that had none. */

/** How often a feed whose runs all succeed is logged, and how often one whose runs fail, in ms. */
const [usualMs, failingMs] = [60_000, 1_000]

/** What is known of a feed's runs since the last line. */
export interface SampledRuns {
  readonly runs: number
  readonly failed: number
  readonly loggedAtMs: number
}

/** The next state, and whether this run is logged; then it counts the runs since the last line, itself too. */
export interface SampledRun {
  readonly next: SampledRuns
  readonly line: { readonly runs: number; readonly failed: number } | undefined
}

/** Takes in a run that has ended at `nowMs` of a monotonic clock. */
export const sampleRun = (before: SampledRuns | undefined, hasFailed: boolean, nowMs: number): SampledRun => {
  const runs = (before?.runs ?? 0) + 1
  const failed = (before?.failed ?? 0) + (hasFailed ? 1 : 0)
  const sinceMs = before === undefined ? Number.POSITIVE_INFINITY : nowMs - before.loggedAtMs
  if (sinceMs < (hasFailed ? failingMs : usualMs))
    return { next: { runs, failed, loggedAtMs: before?.loggedAtMs ?? nowMs }, line: undefined }
  return { next: { runs: 0, failed: 0, loggedAtMs: nowMs }, line: { runs, failed } }
}
