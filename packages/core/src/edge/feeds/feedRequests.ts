/** What REST does with durable feeds: create, list, show, remove (decision D51). */
import { Clock, Effect } from "effect"
import { type Failure, FeedLimit, InvalidParameter } from "../../contract/errors.ts"
import type { Principal, ResolvedPrincipal, ResolvedProject } from "../../domain/accounts/project.ts"
import { type Members, type ResponseValue } from "../../domain/encoding/responseJson.ts"
import { traceParentOf } from "../../domain/encoding/traceParent.ts"
import type { DurableFeed } from "../../domain/feeds/durableFeed.ts"
import { Entropy } from "../../ports/entropy.ts"
import { DurableFeeds } from "../../ports/feeds/durableFeeds.ts"
import { Execution } from "../../services/execution.ts"
import { FeedNews } from "../../services/feeds/feedNews.ts"
import { spanHere } from "../../services/fibers/traced.ts"
import type { ParameterPlace } from "../execution/executeParameters.ts"
import { executionText, noSuchFeed, readFeedExecution, readStoredExecution } from "../execution/storedExecution.ts"
import { readFeedStart } from "../ws/rpcParams.ts"
import { FeedOwner } from "./feedOwner.ts"
import { definitionView, feedView } from "./feedView.ts"

/** What these requests need. */
export type FeedRequestServices = DurableFeeds | Entropy | Execution | FeedNews | FeedOwner

type Answered<A> = Effect.Effect<A, Failure, FeedRequestServices>

/** Adds a feed, which begins at once, wherever it is owned. */
export const createFeed = ({ project }: ResolvedPrincipal, body: ParameterPlace): Answered<Members> =>
  Effect.gen(function* () {
    const { execute, mode, periodMs, share } = yield* readFeedStart(body, project.limits)
    if (share) return yield* InvalidParameter.because("share", "must be off: whoever follows a durable feed shares it")
    const { key } = yield* readFeedExecution(execute, project)
    yield* (yield* Execution).check(project, key)
    const startedBy = yield* spanHere
    const definition: DurableFeed = {
      feedId: yield* Entropy.timeOrderedUuid,
      projectId: project.projectId,
      execute: executionText(execute),
      mode,
      periodMs,
      createdAtMs: yield* Clock.currentTimeMillis,
      ...(startedBy?.sampled === true ? { startedBy: traceParentOf(startedBy) } : {})
    }
    const maxFeeds = project.limits.durableFeedsPerProject
    if (!(yield* (yield* DurableFeeds).create(definition, maxFeeds))) {
      return yield* new FeedLimit({ message: `a project has at most ${maxFeeds} durable feeds`, details: { maxFeeds } })
    }
    yield* Effect.forkDaemon((yield* FeedOwner).look)
    return definitionView(definition)
  })

/** A ticket is shown feeds of its programs only. */
const checkTicket = (project: ResolvedProject, { execute }: DurableFeed): Effect.Effect<void, Failure, Execution> =>
  project.ticket === undefined || project.ticket.programs === null
    ? Effect.void
    : Effect.flatMap(readStoredExecution(execute, project), ({ key }) =>
        Effect.flatMap(Execution, (execution) => execution.check(project, key))
      )

/** The project's feeds, oldest first. */
export const listFeeds = ({ project }: ResolvedPrincipal): Answered<ReadonlyArray<ResponseValue>> =>
  Effect.gen(function* () {
    const found = yield* (yield* DurableFeeds).list(project.projectId)
    const shown = yield* Effect.filter(found, (feed) => Effect.isSuccess(checkTicket(project, feed)))
    return shown.map(definitionView)
  })

/** One feed and how it goes. */
export const showFeed = ({ project }: ResolvedPrincipal, feedId: string): Answered<Members> =>
  Effect.gen(function* () {
    const feeds = yield* DurableFeeds
    const definition = yield* Effect.mapError(Effect.flatten(feeds.find(project.projectId, feedId)), () => noSuchFeed(feedId))
    yield* checkTicket(project, definition)
    return feedView(definition, yield* feeds.progress(feedId))
  })

/** Removes a feed; a run in flight ends, and is charged. */
export const removeFeed = ({ project }: Principal, feedId: string): Answered<Members> =>
  Effect.gen(function* () {
    if (!(yield* (yield* DurableFeeds).remove(project.projectId, feedId))) return yield* noSuchFeed(feedId)
    const news = yield* FeedNews
    news.tell(feedId)
    return { feedId }
  })
