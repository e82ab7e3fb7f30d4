/** Which runs of a feed that lives with its connection have arrived, by their numbers: plain functions. */

/** What has arrived. Every number below `next` is accounted for: it arrived, was told as missing, or came before we did. */
export interface RunTracker {
  readonly next: number
  /** Numbers above `next` that arrived before it. */
  readonly ahead: ReadonlySet<number>
  /** Of a shared feed that was joined: the first number that arrived. Those below it may come, and are not missing if they do not. */
  readonly joinedAt: number | undefined
  /** Numbers below `joinedAt` that arrived. */
  readonly before: ReadonlySet<number>
}

/** A feed that has just begun. A shared one may have run for long: `next` is then not known. */
export const freshTracker = (isShared: boolean): RunTracker => ({
  next: isShared ? Number.NaN : 0,
  ahead: new Set(),
  joinedAt: undefined,
  before: new Set()
})

/** Consecutive runs, from the first number to before the second. */
export interface SeqRange {
  readonly from: number
  readonly to: number
}

/** What to make of a run that arrived. */
export interface Arrival {
  readonly tracker: RunTracker
  readonly isNew: boolean
  /** Runs that are given up now: told before this one. */
  readonly missing: ReadonlyArray<SeqRange>
}

/** Numbers of `ahead` that follow `next` directly are accounted for. */
const settled = (tracker: RunTracker): RunTracker => {
  let { next } = tracker
  if (!tracker.ahead.has(next)) return tracker
  const ahead = new Set(tracker.ahead)
  while (ahead.delete(next)) next += 1
  return { ...tracker, next, ahead }
}

const unchanged = (tracker: RunTracker): Arrival => ({ tracker, isNew: false, missing: [] })

/** Below where a shared feed was joined: a run that was in flight then. */
const lateRun = (tracker: RunTracker, seq: number): Arrival => {
  if (tracker.joinedAt === undefined || seq >= tracker.joinedAt || tracker.before.has(seq)) return unchanged(tracker)
  return { tracker: { ...tracker, before: new Set([...tracker.before, seq]) }, isNew: true, missing: [] }
}

/** Gives up what is missing until at most `window` numbers are open. */
const giveUp = (given: RunTracker, window: number): { readonly tracker: RunTracker; readonly missing: ReadonlyArray<SeqRange> } => {
  let tracker = given
  const missing: Array<SeqRange> = []
  while (tracker.ahead.size > 0) {
    const lowest = Math.min(...tracker.ahead)
    if (Math.max(...tracker.ahead) - tracker.next < window) break
    missing.push({ from: tracker.next, to: lowest })
    tracker = settled({ ...tracker, next: lowest })
  }
  return { tracker, missing }
}

/**
 * A run arrived. `window`: how many numbers later a run may still come; 1 where runs do not overlap. One that comes even later was told as
 * missing, and is not new.
 */
export const arrived = (tracker: RunTracker, seq: number, window: number): Arrival => {
  if (Number.isNaN(tracker.next)) return { tracker: { ...tracker, next: seq + 1, joinedAt: seq }, isNew: true, missing: [] }
  if (seq < tracker.next) return lateRun(tracker, seq)
  if (tracker.ahead.has(seq)) return unchanged(tracker)
  return { isNew: true, ...giveUp(settled({ ...tracker, ahead: new Set([...tracker.ahead, seq]) }), window) }
}

/** The first number that is not accounted for; undefined if nothing of a shared feed has arrived. */
export const firstOpen = ({ next }: RunTracker): number | undefined => (Number.isNaN(next) ? undefined : next)
