/** What each JSON-RPC method does (decisions D16, D17, D35 to D40). */
import { Effect, Runtime } from "effect"
import { type Failure, InvalidParameter } from "../../contract/errors.ts"
import { FeedFollowParams } from "../../contract/rpc.ts"
import type { ResolvedPrincipal, ResolvedProject } from "../../domain/accounts/project.ts"
import { feedIdOf, feedKeyOf } from "../../domain/feeds/feedDefinition.ts"
import { Entropy, timeOrderedUuidOf } from "../../ports/entropy.ts"
import type { DurableFeeds } from "../../ports/feeds/durableFeeds.ts"
import type { FeedNews } from "../../services/feeds/feedNews.ts"
import { Execution } from "../../services/execution.ts"
import { Intake } from "../../services/admission/intake.ts"
import { Quotes } from "../../services/quotes.ts"
import type { Options } from "../../services/settings/serviceOptions.ts"
import type { Subscription } from "../../services/sharedFeeds/sharedFeed.ts"
import type { ConnectionFeeds, FeedOutput } from "./connectionFeeds.ts"
import type { ExecuteParameters, ParameterPlace } from "../execution/executeParameters.ts"
import { performerOf, performExecution, readExecution } from "../execution/executionRequest.ts"
import { logFault } from "../execution/failureIn.ts"
import { toldInterruption } from "../execution/portInterrupted.ts"
import { Admission } from "../../services/admission/admission.ts"
import { insideExecute } from "../execution/storedExecution.ts"
import { quoteView } from "../execution/quoteView.ts"
import { requireScope } from "../access/ticketUse.ts"
import type { RpcCall } from "./rpcMessage.ts"
import { followPlan, readAfter } from "./followRequest.ts"
import { followFeed } from "./followedFeed.ts"
import { type FeedStart, readFeedId, readFeedStart } from "./rpcParams.ts"
import { executionOutcome, type RpcOutcome } from "./rpcView.ts"
import { logRequest } from "../../services/logs/requestLog.ts"
import { spanHere, traced } from "../../services/fibers/traced.ts"
import { workOnlyOf } from "../../services/fibers/workOwner.ts"

/** What methods may know of their connection. */
export interface Caller {
  /** The key's current project; it may change while a feed runs. */
  readonly principal: () => ResolvedPrincipal
  readonly feeds: ConnectionFeeds
}

/** An answer, and what to do right after it was sent. */
export interface RpcAnswer {
  readonly outcome: RpcOutcome
  readonly afterwards?: () => void
}

/** What the methods need. */
export type RpcServices = Admission | DurableFeeds | Execution | FeedNews | Intake | Options | Quotes | Entropy

type Answered = Effect.Effect<RpcAnswer, Failure, RpcServices>

const execute: (params: ParameterPlace, caller: Caller) => Answered = Effect.fnUntraced(function* (params: ParameterPlace, caller: Caller) {
  const { project } = caller.principal()
  const isQuote = params.get("dryRun") === true
  yield* requireScope(project, "execute", ...(isQuote ? ["read" as const] : []))
  const asksForNoRun = params.get("returnLastResult") === true || isQuote
  if (!asksForNoRun) yield* (yield* Intake).enter(project.projectId)
  const parameters = yield* readExecution([params], project)
  if (parameters.options.dryRun === true) {
    return { outcome: { result: quoteView(yield* (yield* Quotes).quote(project, parameters.key)) } }
  }
  const { view } = yield* performExecution(parameters, project, yield* Entropy.timeOrderedUuid, "ws")
  return { outcome: executionOutcome(view) }
})

/** Reserves the feed's place before anything of it is looked up, so that concurrent starts cannot exceed the limit together. */
const withinLimit = (caller: Caller, start: Answered): Answered =>
  Effect.suspend((): Answered => {
    const refusal = caller.feeds.reserve()
    return refusal === undefined ? Effect.onError(start, () => Effect.sync(() => caller.feeds.release())) : Effect.fail(refusal)
  })

/** The feed that all who ask for the same share, if it is asked for. */
const sharedFeedOf = ({ mode, periodMs, share }: FeedStart, parameters: ExecuteParameters, { projectId, ticket }: ResolvedProject) => {
  if (!share) return undefined
  const budgetOf = ticket?.hasBudget === true ? ticket.ticketId : undefined
  const feedKey = feedKeyOf({ projectId, budgetOf, mode, periodMs, ...parameters })
  return { feedKey, feedId: feedIdOf(feedKey) }
}

const startFeed = (params: ParameterPlace, caller: Caller): Answered =>
  Effect.gen(function* () {
    const { project } = caller.principal()
    yield* requireScope(project, "feeds")
    const start = yield* readFeedStart(params, project.limits)
    const parameters = yield* Effect.mapError(readExecution([start.execute], project), insideExecute)
    if (parameters.options.dryRun === true) {
      return yield* InvalidParameter.because("execute.dryRun", "must be off: a feed runs; ask feed.execute for a quote")
    }
    const shared = sharedFeedOf(start, parameters, project)
    // It needs no further place: asking again changes nothing, also on a connection that has all the feeds that it may.
    if (shared !== undefined && caller.feeds.has(shared.feedId)) return { outcome: { result: { feedId: shared.feedId } } }
    return yield* withinLimit(caller, beginFeed(start, parameters, shared, caller))
  })

const beginFeed = (
  { mode, periodMs }: FeedStart,
  parameters: ExecuteParameters,
  shared: ReturnType<typeof sharedFeedOf>,
  caller: Caller
): Answered =>
  Effect.gen(function* () {
    const { project } = caller.principal()
    yield* (yield* Execution).check(project, parameters.key)
    const perform = yield* performerOf(parameters)
    const newId = timeOrderedUuidOf(yield* Entropy)
    const runAs = (id: string) => Effect.suspend(() => perform(caller.principal().project, id, "feed"))
    const { isOpen } = yield* Admission
    const logged = <A>(run: Effect.Effect<A, Failure>) =>
      Effect.tapErrorCause(toldInterruption(isOpen, run), (cause) => logFault("a run of a feed", cause))
    const work = (id?: string) =>
      workOnlyOf(caller.principal().project.projectId, logged(id === undefined ? Effect.flatMap(newId, runAs) : runAs(id)))
    const schedule = { mode, periodMs, maxOverlap: project.limits.feedOverlap }
    const startedBy = yield* spanHere
    if (shared !== undefined) {
      const { feedId } = shared
      return { outcome: { result: { feedId } }, afterwards: () => caller.feeds.join({ ...shared, run: work, startedBy, ...schedule }) }
    }
    const feedId = yield* Entropy.uuid
    return { outcome: { result: { feedId } }, afterwards: () => caller.feeds.start({ feedId, run: work(), startedBy, ...schedule }) }
  })

/** Follows a durable feed of the project. Its fiber ends with the subscription. */
const follow = (params: ParameterPlace, caller: Caller): Answered =>
  Effect.gen(function* () {
    yield* requireScope(caller.principal().project, "feeds")
    const feedId = yield* readFeedId(params, FeedFollowParams)
    const after = yield* readAfter(params)
    const plan = yield* followPlan(feedId, after, caller.principal().project)
    if (caller.principal().project.ticket !== undefined) yield* (yield* Execution).check(caller.principal().project, plan.parameters.key)
    if (caller.feeds.has(feedId)) return yield* InvalidParameter.because("feedId", "is followed on this connection already")
    const fork = Runtime.runFork(yield* Effect.runtime<RpcServices>())
    const project = () => caller.principal().project
    const start = ({ enqueue, mayRead, sendShared }: FeedOutput, removed: () => void): Subscription => {
      const fiber = fork(followFeed(plan, { enqueue, mayRead, project, removed, sendShared }))
      const stop = (): void => fiber.unsafeInterruptAsFork(fiber.id())
      return { stop, retire: stop, isRunning: false }
    }
    return { outcome: { result: { feedId } }, afterwards: () => caller.feeds.follow(feedId, start) }
  })

const stopFeed = (params: ParameterPlace, caller: Caller): Answered =>
  Effect.flatMap(readFeedId(params), (feedId): Answered => {
    const unknown = caller.feeds.stop(feedId)
    return unknown === undefined ? Effect.succeed({ outcome: { result: { feedId } } }) : Effect.fail(unknown)
  })

/** Calls a method. Each call is a trace of its own: what a client would continue has no place in a message. */
export const callMethod = (call: RpcCall, caller: Caller): Answered =>
  traced(
    call.method,
    logRequest(called(call, caller), (answer, ms) => ({ method: call.method, outcome: outcomeOf(answer), ms })),
    {},
    { kind: "server", root: true }
  )

const outcomeOf = (answer: RpcAnswer | undefined): string => (answer === undefined || "error" in answer.outcome ? "error" : "result")

const called = ({ method, params }: RpcCall, caller: Caller): Answered => {
  switch (method) {
    case "feed.execute":
      return execute(params, caller)
    case "feed.start":
      return startFeed(params, caller)
    case "feed.follow":
      return withinLimit(caller, follow(params, caller))
    case "feed.stop":
      return stopFeed(params, caller)
  }
}
