/** The requests to prefetch for one program and its inputs, and how each run changes them. */

/** A request that a run made and that was answered with a status of 200 to 399. */
export interface MadeRequest {
  /** The action's bytes, each as the character of that code. */
  readonly text: string
  /** The bytes of its answer. */
  readonly answerBytes: number
}

/** A request that may be made again. */
export interface PastRequest extends MadeRequest {
  /** Whether the next run prefetches it. */
  readonly isExpected: boolean
}

/** What is remembered. */
export interface PastRequests {
  /** In the order of the run before. */
  readonly requests: ReadonlyArray<PastRequest>
  /** Whether a run has ever not used a prefetched request. */
  readonly hasMissed: boolean
  /** How long a worker took for the last pass of the run before, in ms. */
  readonly passMs: number
}

/** A run that has ended. */
export interface EndedRun {
  /** In the order of its calls. */
  readonly made: ReadonlyArray<MadeRequest>
  /** How many prefetched requests it did not use. */
  readonly missed: number
  /** Whether the program ended with exit code 0. */
  readonly isGood: boolean
  /** How long a worker took for its last pass, in ms. */
  readonly passMs: number
}

/** Nothing is known yet. */
export const noRequests: PastRequests = { requests: [], hasMissed: false, passMs: 0 }

/** Makes a predicate that is true if a request is among these; each of them matches once. */
const takerOf = (requests: ReadonlyArray<MadeRequest>): ((request: MadeRequest) => boolean) => {
  const counts = new Map<string, number>()
  for (const { text } of requests) counts.set(text, (counts.get(text) ?? 0) + 1)
  return ({ text }) => {
    const count = counts.get(text) ?? 0
    counts.set(text, count - 1)
    return count > 0
  }
}

/**
 * What is remembered after a run: after a good one its own requests, after any other one those remembered before that it
 * made too. Once a prefetched request was not used, a new request is expected only after two runs in a row have made it;
 * otherwise a URL that contains the time would be prefetched for nothing in every run.
 */
export const afterRun = (before: PastRequests, { isGood, made, missed, passMs }: EndedRun): PastRequests => {
  const hasMissed = before.hasMissed || missed > 0
  if (!isGood) return { requests: before.requests.filter(takerOf(made)), hasMissed, passMs }
  const isKnown = takerOf(before.requests)
  return { requests: made.map((request) => ({ ...request, isExpected: isKnown(request) || !hasMissed })), hasMissed, passMs }
}
