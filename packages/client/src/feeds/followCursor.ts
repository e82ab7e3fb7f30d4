/** What to make of the messages of a durable feed, whose places leave no doubt: plain functions. */
import type { FeedGap, FeedRun } from "../contract/messages.ts"
import type { FeedPlace } from "../contract/requests.ts"

/** The last place that is accounted for; undefined: nothing has arrived, and no place was asked for. */
export type FollowCursor = FeedPlace | undefined

/** Below 0, 0 or above it, as the first place is before, the same as or after the second. */
export const comparePlaces = (one: FeedPlace, other: FeedPlace): number => one.epoch - other.epoch || one.seq - other.seq

/** The place after another, in its epoch. */
export const placeAfter = ({ epoch, seq }: FeedPlace): FeedPlace => ({ epoch, seq: seq + 1 })

/** `take`: new, and next; `old`: had already; `hole`: something before it is missing, and may be asked for again. */
export type FollowVerdict = "take" | "old" | "hole"

/** What to make of a run. */
export const runVerdict = (cursor: FollowCursor, place: FeedPlace): FollowVerdict => {
  if (cursor === undefined || comparePlaces(place, placeAfter(cursor)) === 0) return "take"
  return comparePlaces(place, cursor) <= 0 ? "old" : "hole"
}

/** What to make of a gap: what is told, and the cursor after it. */
export type GapVerdict =
  | { readonly verdict: "take"; readonly from: FeedPlace; readonly to: FeedPlace }
  | { readonly verdict: "old" | "hole" }

/** A gap ends directly before `to`. Of one that begins before the cursor, only the rest is told. */
export const gapVerdict = (cursor: FollowCursor, { from, to }: FeedGap): GapVerdict => {
  if (from === undefined || to === undefined) return { verdict: "old" }
  const next = cursor === undefined ? from : placeAfter(cursor)
  if (comparePlaces(to, next) <= 0) return { verdict: "old" }
  return comparePlaces(from, next) > 0 ? { verdict: "hole" } : { verdict: "take", from: next, to }
}

/** The place of a run of a durable feed; undefined if it has none. */
export const placeOfRun = ({ epoch, seq }: FeedRun): FeedPlace | undefined => (epoch === undefined ? undefined : { epoch, seq })

/** The cursor after a gap that ends before `to`. */
export const cursorBefore = ({ epoch, seq }: FeedPlace): FeedPlace => ({ epoch, seq: seq - 1 })
