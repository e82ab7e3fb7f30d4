/** Judges when the runs of a feed started: the schedule, overlap, the limit of overlap, and no start after a stop. */
import { type FeedLaw, startsAfter } from "./feedModel.ts"
import type { FeedObservation, ObservedRun } from "./observation.ts"
import type { FeedViolation } from "./violation.ts"

const isNear = (one: number, other: number, toleranceMs: number): boolean => Math.abs(one - other) <= toleranceMs

/** Every allowed start after the run at `index`; none while it is in flight and the mode waits for it. */
const followers = (law: FeedLaw, runs: ReadonlyArray<ObservedRun>, index: number, toleranceMs: number): ReadonlyArray<number> => {
  const run = runs[index]
  const origin = runs[0]
  if (run === undefined || origin === undefined) return []
  if (run.endMs === undefined && law.mode !== "PARALLEL") return []
  const { endMs = run.startMs, startMs } = run
  return startsAfter(law, origin.startMs, index, { startMs, endMs }, toleranceMs)
}

function* judgeFollower(law: FeedLaw, runs: ReadonlyArray<ObservedRun>, index: number, toleranceMs: number): Generator<FeedViolation> {
  const run = runs[index]
  const next = runs[index + 1]
  if (run === undefined || next === undefined) return
  if (law.mode !== "PARALLEL" && (run.endMs === undefined || run.endMs > next.startMs + toleranceMs)) {
    const ended = run.endMs === undefined ? "not ended" : `ended at ${run.endMs}`
    yield { law: "overlap", message: `run ${index + 1} started at ${next.startMs}, run ${index} had ${ended}` }
    return
  }
  const expected = followers(law, runs, index, toleranceMs)
  if (!expected.some((startMs) => isNear(startMs, next.startMs, toleranceMs))) {
    yield { law: "start", message: `run ${index + 1} started at ${next.startMs} instead of ${expected.join(" or ")}` }
  }
}

/** A feed that was not stopped continues: the run after the last one must not be overdue. */
function* judgeEnd(
  law: FeedLaw,
  { askedMs, runs, stopped, watchedUntilMs }: FeedObservation,
  toleranceMs: number
): Generator<FeedViolation> {
  const untilMs = Math.min(watchedUntilMs, stopped?.atMs ?? watchedUntilMs)
  const due = runs.length === 0 ? [askedMs] : followers(law, runs, runs.length - 1, toleranceMs)
  const dueMs = Math.max(...due)
  if (due.length > 0 && dueMs + toleranceMs < untilMs) {
    yield { law: "start", message: `run ${runs.length} was due at ${dueMs} and had not started at ${untilMs}` }
  }
  for (const [index, { startMs }] of runs.entries()) {
    if (stopped !== undefined && startMs > stopped.atMs + toleranceMs) {
      yield { law: "after-stop", message: `run ${index} started at ${startMs}, the stop was at ${stopped.atMs}` }
    }
  }
}

/**
 * A run that ends in the instant in which another starts may count as in flight or not. One whose end nobody saw may have been refused, and the
 * feed stopped before that was told.
 */
function* judgeLimit(law: FeedLaw, runs: ReadonlyArray<ObservedRun>, toleranceMs: number): Generator<FeedViolation> {
  let inFlight: ReadonlyArray<number> = []
  for (const [index, { endMs = Number.POSITIVE_INFINITY, outcome, startMs }] of runs.entries()) {
    inFlight = inFlight.filter((end) => end >= startMs - toleranceMs)
    const atLeast = inFlight.filter((end) => end > startMs + toleranceMs).length
    const allowed = law.mode === "PARALLEL" ? law.maxOverlap : 1
    if (outcome === "refused" && (law.mode !== "PARALLEL" || inFlight.length < allowed)) {
      const message = `run ${index} was refused with ${inFlight.length} of ${allowed} in flight`
      yield { law: "overlap-limit", message }
    }
    if (outcome !== "refused" && law.mode === "PARALLEL" && atLeast >= allowed && endMs !== Number.POSITIVE_INFINITY) {
      yield { law: "overlap-limit", message: `run ${index} began with ${atLeast} of ${allowed} in flight` }
    }
    if (outcome !== "refused") inFlight = [...inFlight, endMs]
  }
}

/** Every violation in the starts of a feed; observed times may be off by the tolerance. */
export function* judgeStarts(observation: FeedObservation, law: FeedLaw, toleranceMs: number): Generator<FeedViolation> {
  const { askedMs, runs } = observation
  const first = runs[0]
  if (first !== undefined && !isNear(first.startMs, askedMs, toleranceMs)) {
    yield { law: "first-run", message: `run 0 started at ${first.startMs}, the feed was answered at ${askedMs}` }
  }
  for (const index of runs.keys()) yield* judgeFollower(law, runs, index, toleranceMs)
  yield* judgeEnd(law, observation, toleranceMs)
  yield* judgeLimit(law, runs, toleranceMs)
}
