/** The limits of an execution and of a request, in one record shared by server, command line and test kit (decisions D29, D31, D41). */

/** All limits. Units are in the names; gas is counted in gas units, money in credits. */
export interface Limits {
  readonly execWallClockMs: number
  readonly tallyWallClockMs: number
  /** How long a run may wait for a worker before its first pass. */
  readonly queueWaitMs: number
  /** Runs of one project in flight, both running and waiting. */
  readonly runsPerProject: number
  readonly httpRequestTimeoutMs: number
  readonly httpRunBudgetMs: number
  readonly httpResponseBytes: number
  /** Requests of one project's programs to upstreams under way at once; another one waits, within its time limit. */
  readonly httpRequestsPerProject: number
  /** Prefetched requests of one run that may be outstanding at once; 0 switches prefetching off. */
  readonly httpPrefetches: number
  /** The JSON of a program's request for one HTTP call; a longer one is a rejected promise. */
  readonly httpActionBytes: number
  /** The same for storage calls. */
  readonly storageActionBytes: number
  /** Answers from outside (HTTP, prices of data proxies, storage) that one phase may ask for. */
  readonly hostCalls: number
  /** The total bytes of these calls and their answers. */
  readonly hostCallBytes: number
  readonly inputBytes: number
  readonly programBytes: number
  readonly memoryPages: number
  readonly stdoutBytes: number
  readonly stderrBytes: number
  readonly resultBytes: number
  /** The tapes of one run that are kept with its report; those of a run that has more are not kept. */
  readonly recordingBytes: number
  readonly requestBytes: number
  readonly urlBytes: number
  /** How long a client may take to send a body. */
  readonly bodyMs: number
  readonly proxyBudgetCredits: bigint
  readonly minPeriodMs: number
  readonly maxPeriodMs: number
  /** Concurrent runs of one PARALLEL feed. */
  readonly feedOverlap: number
  readonly feedsPerConnection: number
  readonly durableFeedsPerProject: number
  readonly connectionsPerKey: number
  /** Tickets of one project that are kept: those that may still be used, and those whose budgets are in use. */
  readonly ticketsPerProject: number
  /** Unanswered requests of one connection. */
  readonly requestsPerConnection: number
  readonly pingIntervalMs: number
  /** If more output than this waits for a slow reader for `outputSoftMs`, its connection is closed. */
  readonly outputSoftBytes: number
  readonly outputSoftMs: number
  /** If more output than this waits for a slow reader, its connection is closed at once. */
  readonly outputHardBytes: number
}

/** The smallest allowed value: 0 switches prefetching off, and the budget for data proxies may be 0. */
export const leastOfLimit = (name: keyof Limits): number => (name === "httpPrefetches" || name === "proxyBudgetCredits" ? 0 : 1)

/** The largest allowed value. The range of timers is 2^31 − 1 milliseconds, and no other limit needs more; memory has WebAssembly's own bound. */
export const mostOfLimit = (name: keyof Limits): number => (name === "memoryPages" ? 65_536 : 2_147_483_647)

/** The limits if nothing else is configured. */
export const defaultLimits: Limits = {
  execWallClockMs: 30_000,
  tallyWallClockMs: 10_000,
  queueWaitMs: 10_000,
  runsPerProject: 200,
  httpRequestTimeoutMs: 2_000,
  httpRunBudgetMs: 20_000,
  httpResponseBytes: 1_048_576,
  httpRequestsPerProject: 512,
  httpPrefetches: 10,
  httpActionBytes: 1_048_576,
  storageActionBytes: 3_145_728,
  hostCalls: 256,
  hostCallBytes: 16_777_216,
  inputBytes: 262_144,
  programBytes: 1_048_576,
  memoryPages: 160,
  stdoutBytes: 16_384,
  stderrBytes: 16_384,
  resultBytes: 96_000,
  recordingBytes: 262_144,
  requestBytes: 2_097_152,
  urlBytes: 16_384,
  bodyMs: 30_000,
  proxyBudgetCredits: 1_000n,
  minPeriodMs: 10,
  maxPeriodMs: 86_400_000,
  feedOverlap: 256,
  feedsPerConnection: 50,
  durableFeedsPerProject: 100,
  connectionsPerKey: 20,
  ticketsPerProject: 10_000,
  requestsPerConnection: 256,
  pingIntervalMs: 30_000,
  outputSoftBytes: 1_048_576,
  outputSoftMs: 5_000,
  outputHardBytes: 16_777_216
}
