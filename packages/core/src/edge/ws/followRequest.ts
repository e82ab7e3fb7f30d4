/** Reads and checks `feed.follow`: which feed, and from which place. */
import { Effect, Either } from "effect"
import { type Failure, InvalidParameter } from "../../contract/errors.ts"
import type { ResolvedProject } from "../../domain/accounts/project.ts"
import { isJsonObject, type Json, JsonNumber } from "../../domain/encoding/losslessJson.ts"
import { comparePlaces, type FeedPlace } from "../../domain/feeds/durableFeed.ts"
import { DurableFeeds } from "../../ports/feeds/durableFeeds.ts"
import type { ParameterPlace } from "../execution/executeParameters.ts"
import { noSuchFeed, readStoredExecution } from "../execution/storedExecution.ts"
import { endOf } from "../../services/feeds/feedTail.ts"
import type { FollowPlan } from "./followedFeed.ts"

const afterRule = "must be a place that a feed.result of this feed named: an object with epoch and seq, whole numbers"

const wholeNumber = (value: Json | undefined, least: number): number | undefined => {
  const number = value instanceof JsonNumber ? Number(value.digits) : Number.NaN
  return Number.isSafeInteger(number) && number >= least ? number : undefined
}

/** The place after which a client wants results; -1 as number is before the first one of an epoch. */
export const readAfter = (params: ParameterPlace): Either.Either<FeedPlace | undefined, InvalidParameter> => {
  const after = params.get("after")
  if (after === undefined || after === null) return Either.right(undefined)
  const epoch = isJsonObject(after) ? wholeNumber(after.get("epoch"), 0) : undefined
  const seq = isJsonObject(after) ? wholeNumber(after.get("seq"), -1) : undefined
  return epoch === undefined || seq === undefined ? Either.left(InvalidParameter.because("after", afterRule)) : Either.right({ epoch, seq })
}

/** What to follow. A place that the feed has not reached is refused. */
export const followPlan = (
  feedId: string,
  after: FeedPlace | undefined,
  project: ResolvedProject
): Effect.Effect<FollowPlan, Failure, DurableFeeds> =>
  Effect.gen(function* () {
    const feeds = yield* DurableFeeds
    const feed = yield* Effect.mapError(Effect.flatten(feeds.find(project.projectId, feedId)), () => noSuchFeed(feedId))
    const parameters = yield* readStoredExecution(feed.execute, project)
    if (after === undefined) return { feed, parameters, after: yield* endOf(feedId) }
    const { epoch: begun, last, nowMs } = yield* feeds.progress(feedId)
    // The first epoch will be later than now; those before it may be of a schedule that was forgotten.
    const epoch = begun ?? nowMs
    // The runs of an epoch may all have been swept, and a database that was restored does not know all runs of an epoch that has ended.
    const isAhead = after.epoch === epoch && last?.epoch === epoch && comparePlaces(after, last) > 0
    if (isAhead || after.epoch > epoch) return yield* InvalidParameter.because("after", afterRule)
    return { feed, parameters, after }
  })
