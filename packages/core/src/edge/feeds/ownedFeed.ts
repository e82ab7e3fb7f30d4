/** Runs one durable feed for as long as this process owns it: each tick is an ordinary run under the tick's id (decision D51). */
import { Clock, type Context, Effect, Exit, Fiber, Option, type Scope, type Tracer } from "effect"
import { type Failure, FeedOverlapLimit, InternalError } from "../../contract/errors.ts"
import { resolveProject } from "../../domain/accounts/project.ts"
import { writeResponse } from "../../domain/encoding/responseJson.ts"
import { readTraceParent } from "../../domain/encoding/traceParent.ts"
import type { DurableFeed, FeedTick } from "../../domain/feeds/durableFeed.ts"
import type { FeedLeaseVerdict } from "../../domain/feeds/feedLease.ts"
import { feedRunId } from "../../domain/feeds/feedRunId.ts"
import { type DueTick, firstTick, tickAfter } from "../../domain/feeds/feedTicks.ts"
import type { Schedule } from "../../domain/runs/feedSchedule.ts"
import { afterRefusal, freshAllowance, refusedRuns } from "../../domain/runs/allowance.ts"
import { Directory } from "../../ports/directory.ts"
import { DurableFeeds } from "../../ports/feeds/durableFeeds.ts"
import { FeedLeases } from "../../ports/feeds/feedLeases.ts"
import { ResultStore } from "../../ports/resultStore.ts"
import { Admission } from "../../services/admission/admission.ts"
import type { Execution } from "../../services/execution.ts"
import { FeedNews } from "../../services/feeds/feedNews.ts"
import { spanOutside, traced } from "../../services/fibers/traced.ts"
import { workOnlyOf } from "../../services/fibers/workOwner.ts"
import { onceReachable } from "../../services/credits/onceReachable.ts"
import { Options } from "../../services/settings/serviceOptions.ts"
import { performExecution } from "../execution/executionRequest.ts"
import { failureIn, logFault } from "../execution/failureIn.ts"
import { toldInterruption } from "../execution/portInterrupted.ts"
import { readStoredExecution } from "../execution/storedExecution.ts"
import { failureOutcome } from "../ws/rpcView.ts"
import { logFailed } from "../../ports/logs/logFailed.ts"

/** What running a feed needs. */
export type OwnedFeedServices = Admission | Directory | DurableFeeds | Execution | FeedLeases | FeedNews | Options | ResultStore

type Held = Extract<FeedLeaseVerdict, { readonly kind: "held" }>

type Work<A> = Effect.Effect<A, never, OwnedFeedServices>

/** Milliseconds of the monotonic clock. */
const steadyMs = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos) / 1e6)

/** Runs a tick under its id, for the project in its current state. */
const perform = ({ execute, feedId, projectId }: DurableFeed, { epoch, tick }: FeedTick) =>
  Effect.gen(function* () {
    const { limits } = yield* Options
    const found = yield* (yield* Directory).project(projectId)
    if (Option.isNone(found)) return yield* new InternalError({ message: "the feed's project does not exist" })
    const project = resolveProject(found.value, limits)
    const parameters = yield* readStoredExecution(execute, project)
    yield* workOnlyOf(projectId, performExecution(parameters, project, feedRunId(feedId, epoch, tick), "feed"))
  })

/** To the request that created the feed. */
const linksOf = ({ startedBy }: DurableFeed): ReadonlyArray<Tracer.SpanLink> => {
  const place = readTraceParent(startedBy)
  return place === undefined ? [] : [{ _tag: "SpanLink", span: spanOutside(place), attributes: {} }]
}

const tooMany = new FeedOverlapLimit({ message: "too many runs of this feed are in flight; this one did not start" })

/** One feed in the hands of one owner. Its runs go on when it is lost, and their ends are logged. */
export class OwnedFeed {
  readonly definition: DurableFeed
  readonly held: Held
  readonly #scope: Scope.Scope
  readonly #context: Context.Context<OwnedFeedServices>
  readonly #links: ReadonlyArray<Tracer.SpanLink>
  readonly #inFlight = new Set<Fiber.RuntimeFiber<void>>()
  #allowance = freshAllowance(refusedRuns, 0)
  /** When it was taken, on the monotonic clock. */
  #takenAtMs = 0

  constructor(definition: DurableFeed, held: Held, scope: Scope.Scope, context: Context.Context<OwnedFeedServices>) {
    this.definition = definition
    this.#links = linksOf(definition)
    this.held = held
    this.#scope = scope
    this.#context = context
  }

  /** Waits until every run that was started has ended. */
  get settled(): Effect.Effect<void> {
    return Effect.suspend(() => Effect.asVoid(Fiber.awaitAll([...this.#inFlight])))
  }

  /** Runs the feed's ticks; ends when they may not run here any more. If it is interrupted, nothing more starts; runs in flight go on. */
  get run(): Effect.Effect<void> {
    const ticks = Effect.gen(this, function* () {
      this.#takenAtMs = yield* steadyMs
      yield* this.#finishOthers
      yield* this.#runTicks(yield* this.#found)
    })
    return Effect.provide(ticks, this.#context)
  }

  /** The store's time. */
  get #storeNowMs(): Effect.Effect<number> {
    return Effect.map(steadyMs, (nowMs) => this.held.nowMs + (nowMs - this.#takenAtMs))
  }

  get #schedule(): Schedule {
    const { mode, periodMs } = this.definition
    return { mode, periodMs, originMs: this.held.schedule.epoch }
  }

  /** Runs what a former owner has started and not ended, under the same ids. */
  get #finishOthers(): Work<void> {
    return Effect.gen(this, function* () {
      const { feedId, mode } = this.definition
      for (const tick of yield* (yield* DurableFeeds).unfinished(feedId)) {
        const isDone = yield* this.#isStored(tick)
        const running = yield* this.#fork(isDone ? this.#end(tick, Exit.void) : this.#perform(tick))
        if (mode !== "PARALLEL") yield* Fiber.await(running)
      }
    })
  }

  /** Where the schedule continues: as it was recorded, or further, if an owner died between logging a run and recording it. */
  get #found(): Work<{ readonly seq: number; readonly due: DueTick }> {
    return Effect.gen(this, function* () {
      const { epoch, nextTick, seq } = this.held.schedule
      const { last } = yield* (yield* DurableFeeds).progress(this.definition.feedId)
      const before = last?.epoch === epoch ? last : undefined
      const taken = { nextTick: Math.max(nextTick, (before?.tick ?? -1) + 1), lastEndMs: before?.endedAtMs ?? undefined }
      return { seq: Math.max(seq, (before?.seq ?? -1) + 1), due: firstTick(this.#schedule, taken, yield* this.#storeNowMs) }
    })
  }

  #runTicks(found: { readonly seq: number; readonly due: DueTick }): Work<void> {
    return Effect.gen(this, function* () {
      const isParallel = this.definition.mode === "PARALLEL"
      let { due, seq } = found
      for (;;) {
        const startMs = yield* this.#until(due.scheduledAtMs)
        if (afterRefusal(this.#allowance, refusedRuns, startMs).left >= 0) {
          const running = yield* this.#begin(due, seq, startMs)
          if (running === undefined) return
          seq += 1
          if (!isParallel) yield* Fiber.await(running)
        }
        due = tickAfter(this.#schedule, { tick: due.tick, startMs, endMs: isParallel ? startMs : yield* this.#storeNowMs })
      }
    })
  }

  /** Sleeps until a time of the store. A timer may fire a little early. */
  #until(dueMs: number): Effect.Effect<number> {
    return Effect.flatMap(this.#storeNowMs, (nowMs) =>
      nowMs >= dueMs ? Effect.succeed(nowMs) : Effect.zipRight(Effect.sleep(Math.max(1, Math.ceil(dueMs - nowMs))), this.#until(dueMs))
    )
  }

  /** Logs and starts a run, if this owner may. */
  #begin(due: DueTick, seq: number, startMs: number): Work<Fiber.RuntimeFiber<void> | undefined> {
    return Effect.gen(this, function* () {
      const { lease, schedule } = this.held
      const { epoch } = schedule
      const tick = { epoch, seq, tick: due.tick, scheduledAtMs: Math.round(due.scheduledAtMs), startedAtMs: Math.round(startMs) }
      if (!(yield* (yield* DurableFeeds).begin(lease, tick))) return undefined
      const advance = (yield* FeedLeases).advance(lease, { nextTick: due.tick + 1, seq: seq + 1 })
      const isTooMany = this.#inFlight.size >= (yield* Options).limits.feedOverlap
      const run = isTooMany ? this.#end(tick, Exit.fail(tooMany)) : this.#perform(tick)
      return yield* this.#fork(Effect.zipRight(Effect.ignoreLogged(advance), run))
    })
  }

  #fork(work: Work<void>): Work<Fiber.RuntimeFiber<void>> {
    const logged = Effect.catchAllCause(work, (cause) => logFailed("the end of a feed's run could not be logged", cause, { part: "feeds" }))
    return Effect.map(Effect.forkIn(logged, this.#scope), (fiber) => {
      this.#inFlight.add(fiber)
      fiber.addObserver(() => this.#inFlight.delete(fiber))
      return fiber
    })
  }

  #perform(tick: FeedTick): Work<void> {
    const { mode } = this.definition
    const told = Effect.flatMap(Admission, ({ isOpen }) => toldInterruption(isOpen, perform(this.definition, tick)))
    const ended = Effect.flatMap(Effect.exit(told), (exit) => traced("deliver", this.#end(tick, exit)))
    return traced("feed.tick", ended, { "sibyl.feed.mode": mode, "sibyl.feed.seq": tick.seq }, { root: true, links: this.#links })
  }

  /** Whether a run of the tick was charged, here or by another owner. */
  #isStored({ epoch, tick }: FeedTick): Work<boolean> {
    const { feedId, projectId } = this.definition
    return Effect.flatMap(ResultStore, (results) => Effect.map(results.find(projectId, feedRunId(feedId, epoch, tick)), Option.isSome))
  }

  /**
   * A run that the book refused, because another owner's run of the tick was charged first, has that run's result. Followers wait for the end
   * of each run, so it is logged even if the store is away for a moment.
   */
  #end(tick: FeedTick, exit: Exit.Exit<void, Failure>): Work<void> {
    return Effect.gen(this, function* () {
      const feeds = yield* DurableFeeds
      const { feedId } = this.definition
      const endedAtMs = Math.round(yield* this.#storeNowMs)
      if (Exit.isSuccess(exit) || (yield* onceReachable(this.#isStored(tick)))) yield* onceReachable(feeds.succeed(feedId, tick, endedAtMs))
      else {
        this.#allowance = afterRefusal(this.#allowance, refusedRuns, endedAtMs)
        yield* logFault("a run of a feed", exit.cause)
        const failure = writeResponse(failureOutcome(failureIn(exit.cause, "run")).error)
        yield* onceReachable(feeds.fail(this.held.lease, tick, endedAtMs, failure))
      }
      const news = yield* FeedNews
      news.tell(feedId)
    })
  }
}
