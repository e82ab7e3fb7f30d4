/** What a feed is asked for with, checked when it is made: what could not be sent would otherwise show only in the connection of all feeds. */
import { InvalidOption } from "../errors/clientError.ts"
import { checkedNames, checkObject, type NamesOf } from "../ground/checkedNames.ts"
import { jsonCopy } from "../ground/jsonCopy.ts"
import { checkSchema, checkSignal } from "../rest/callOptions.ts"
import { encodingOf } from "../rest/executions.ts"
import type { FeedRequest } from "./connectionFeed.ts"
import type { FeedOptions } from "./feedLoop.ts"
import type { FollowRequest } from "./followedFeed.ts"

type DurableRequest = Omit<FeedRequest, "share">

const durableNames: NamesOf<Required<DurableRequest>> = { execute: true, mode: true, periodicityMs: true }

const feedNames: NamesOf<Required<FeedRequest>> = { ...durableNames, share: true }

const followNames: NamesOf<Required<FollowRequest>> = { feedId: true, after: true, parallel: true }

const copyOf = <Given extends DurableRequest>(given: Given): Given => {
  checkObject("feed.execute", given.execute)
  return jsonCopy("feed", { ...given, execute: jsonCopy("feed.execute", given.execute) })
}

/** A copy of what a feed is asked for with. Throws {@link InvalidOption}. */
export const checkedFeed = <R>(request: FeedRequest | FollowRequest, { schema }: FeedOptions<R>): FeedRequest | FollowRequest => {
  checkObject("feed", request)
  if ("feedId" in request) return jsonCopy("feed", checkedNames("feed", request, followNames))
  const copy = copyOf(checkedNames<FeedRequest>("feed", request, feedNames))
  const encoding = encodingOf(copy.execute, schema)
  return encoding === undefined ? copy : { ...copy, execute: { ...copy.execute, encoding } }
}

/** A copy of what a durable feed is added with. Throws {@link InvalidOption}. */
export const checkedDurableFeed = (request: DurableRequest): DurableRequest =>
  copyOf(checkedNames<DurableRequest>("feed", request, durableNames))

/** The same. Throws {@link InvalidOption}. */
export const checkedFeedOptions = <R>(options: FeedOptions<R>): FeedOptions<R> => {
  checkedNames<FeedOptions<R>>("options", options, { schema: true, signal: true, whenSlow: true, maxWaiting: true })
  const { maxWaiting = 1, schema, signal, whenSlow = "buffer" } = options
  checkSchema(schema)
  checkSignal(signal)
  if (!Number.isInteger(maxWaiting) || maxWaiting < 1) throw new InvalidOption("maxWaiting", "must be a whole number of at least 1")
  if (!["buffer", "latest", "fail"].includes(whenSlow)) throw new InvalidOption("whenSlow", "must be buffer, latest or fail")
  return options
}
