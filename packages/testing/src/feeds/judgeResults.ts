/** Judges the results of a feed: one for each run, in the order of completion, correct, none after a stop. */
import type { FeedObservation, ObservedResult, ObservedRun } from "./observation.ts"
import type { FeedViolation } from "./violation.ts"

/** A result and its run. */
interface ResultOfRun {
  readonly result: ObservedResult
  readonly run: ObservedRun
}

function* judgeMoment({ result, run }: ResultOfRun, toleranceMs: number): Generator<FeedViolation> {
  if (run.endMs === undefined || result.atMs < run.endMs - toleranceMs) {
    yield { law: "result-time", message: `result ${result.seq} came at ${result.atMs}, before its run ended` }
  } else if (result.atMs > run.endMs + toleranceMs) {
    yield { law: "result-time", message: `result ${result.seq} came at ${result.atMs}, its run ended at ${run.endMs}` }
  }
  if (result.outcome !== run.outcome) {
    yield { law: "outcome", message: `result ${result.seq} says ${result.outcome}, its run was ${run.outcome}` }
  }
}

/** The times in results are whole milliseconds, so each may be off by half of one. */
function* judgeTimes({ result, run }: ResultOfRun, first: ResultOfRun, toleranceMs: number): Generator<FeedViolation> {
  const told = result.startedAtMs - first.result.startedAtMs
  const seen = run.startMs - first.run.startMs
  if (Math.abs(told - seen) > toleranceMs + 1) {
    const message = `result ${result.seq}: startedAt is ${told} ms after that of the first result, its start ${seen} ms`
    yield { law: "times", message }
  }
  const lateness = result.startedAtMs - result.scheduledAtMs
  if (lateness < 0 || lateness > toleranceMs + 1) {
    yield { law: "times", message: `result ${result.seq} was scheduled ${lateness} ms before it started` }
  }
}

function* judgeEach({ results, runs, stopped }: FeedObservation, toleranceMs: number): Generator<FeedViolation> {
  const told = new Set<number>()
  let first: ResultOfRun | undefined
  let lastEndMs = Number.NEGATIVE_INFINITY
  for (const [place, result] of results.entries()) {
    const run = runs[result.seq]
    if (stopped !== undefined && place >= stopped.afterResults) {
      yield { law: "after-stop", message: `result ${result.seq} came after the stop` }
    }
    if (run === undefined || (result.run !== undefined && result.run !== result.seq)) {
      yield { law: "seq", message: `a result says seq ${result.seq}, it is of run ${result.run ?? "none"}` }
      continue
    }
    if (told.has(result.seq)) yield { law: "one-result", message: `run ${result.seq} has two results` }
    told.add(result.seq)
    first ??= { result, run }
    yield* judgeMoment({ result, run }, toleranceMs)
    yield* judgeTimes({ result, run }, first, toleranceMs)
    const endMs = run.endMs ?? result.atMs
    if (endMs < lastEndMs - toleranceMs) {
      const message = `result ${result.seq} of a run that ended at ${endMs} came after one of ${lastEndMs}`
      yield { law: "result-order", message }
    }
    lastEndMs = Math.max(lastEndMs, endMs)
  }
}

function* judgeMissing({ results, runs, stopped, watchedUntilMs }: FeedObservation, toleranceMs: number): Generator<FeedViolation> {
  const untilMs = Math.min(watchedUntilMs, stopped?.atMs ?? watchedUntilMs)
  const told = new Set(results.map(({ run, seq }) => run ?? seq))
  for (const [index, { endMs }] of runs.entries()) {
    if (endMs !== undefined && endMs + toleranceMs < untilMs && !told.has(index)) {
      yield { law: "one-result", message: `run ${index} ended at ${endMs} and has no result` }
    }
  }
}

/** Every violation in the results of a feed; observed times may be off by the tolerance. */
export function* judgeResults(observation: FeedObservation, toleranceMs: number): Generator<FeedViolation> {
  yield* judgeEach(observation, toleranceMs)
  yield* judgeMissing(observation, toleranceMs)
}
