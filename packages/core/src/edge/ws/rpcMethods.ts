/** What each JSON-RPC method does (interface, "feed.execute params" and on). */
import { Effect } from "effect"
import { type Failure, InvalidParameter } from "../../contract/errors.ts"
import { feedModes } from "../../contract/rpc.ts"
import { type Json, JsonNumber } from "../../domain/encoding/losslessJson.ts"
import type { Principal } from "../../domain/accounts/project.ts"
import type { FeedMode } from "../../domain/runs/schedule.ts"
import { Entropy, timeOrderedUuidOf } from "../../ports/entropy.ts"
import { Execution } from "../../services/execution.ts"
import { Quotes } from "../../services/quotes.ts"
import type { Options } from "../../services/serviceOptions.ts"
import type { ConnectionFeeds } from "./connectionFeeds.ts"
import { isParameterPlace, type ParameterPlace } from "../execution/executeParameters.ts"
import { limitsOf, performerOf, performExecution, readExecution } from "../execution/executionRequest.ts"
import { misspelledIn } from "../execution/misspelled.ts"
import { quoteView } from "../execution/quoteView.ts"
import type { RpcCall } from "./rpcMessage.ts"
import { executionOutcome, type RpcOutcome } from "./rpcView.ts"
import { workOf } from "../../services/workOwner.ts"

/** The connection as its methods see it. */
export interface Caller {
  /** The key's project as of now; it may change while a feed runs. */
  readonly principal: () => Principal
  readonly feeds: ConnectionFeeds
}

/** An answer, and what happens right after it was said. */
export interface RpcAnswer {
  readonly outcome: RpcOutcome
  readonly afterwards?: () => void
}

/** What the methods need. */
export type RpcServices = Execution | Options | Quotes | Entropy

type Answered = Effect.Effect<RpcAnswer, Failure, RpcServices>

const execute = (params: ParameterPlace, caller: Caller): Answered =>
  Effect.gen(function*() {
    const { project } = caller.principal()
    const parameters = yield* readExecution([params], project)
    if (parameters.options.dryRun === true) {
      return { outcome: { result: quoteView(yield* (yield* Quotes).quote(project, parameters.key)) } }
    }
    const { view } = yield* performExecution(parameters, project, yield* Entropy.timeOrderedUuid, "ws")
    return { outcome: executionOutcome(view) }
  })

const integerOf = (value: Json | undefined): number => (value instanceof JsonNumber ? Number(value.digits) : Number.NaN)

const isMode = (value: Json | undefined): value is FeedMode => feedModes.some((mode) => mode === value)

const isMissing = (value: Json | undefined): value is undefined | null => value === undefined || value === null

const required = (name: string) => InvalidParameter.because(name, "is required")

/** The schedule that the params of `feed.start` ask for. */
const readSchedule = (params: ParameterPlace, min: number, max: number) => {
  const period = params.get("periodicityMs")
  const mode = params.get("mode")
  if (isMissing(period)) return Effect.fail(required("periodicityMs"))
  if (isMissing(mode)) return Effect.fail(required("mode"))
  const periodMs = integerOf(period)
  if (!Number.isInteger(periodMs) || periodMs < min || periodMs > max) {
    return Effect.fail(InvalidParameter.because("periodicityMs", `must be a whole number from ${min} to ${max}`))
  }
  return isMode(mode)
    ? Effect.succeed({ mode, periodMs })
    : Effect.fail(InvalidParameter.because("mode", `must be one of ${feedModes.join(", ")}`))
}

/** The same refusal by where the parameter stands in the params of `feed.start`. */
const insideExecute = (refusal: InvalidParameter): InvalidParameter => {
  const { parameter, rule } = refusal.details ?? {}
  return InvalidParameter.because(`execute.${String(parameter)}`, String(rule))
}

const refuseMisspelled = (params: ParameterPlace, known: ReadonlyArray<string>) => {
  const misspelled = misspelledIn(params.keys(), known)
  return misspelled === undefined ? Effect.void : Effect.fail(misspelled)
}

const startFeed = (params: ParameterPlace, caller: Caller): Answered =>
  Effect.gen(function*() {
    const { project } = caller.principal()
    yield* refuseMisspelled(params, ["execute", "periodicityMs", "mode"])
    const limits = yield* limitsOf(project)
    const { mode, periodMs } = yield* readSchedule(params, limits.minPeriodMs, limits.maxPeriodMs)
    const wanted = params.get("execute")
    if (isMissing(wanted)) return yield* required("execute")
    if (!isParameterPlace(wanted)) {
      return yield* InvalidParameter.because("execute", "must be an object with the parameters of feed.execute")
    }
    const parameters = yield* Effect.mapError(readExecution([wanted], project), insideExecute)
    if (parameters.options.dryRun === true) {
      return yield* InvalidParameter.because("execute.dryRun", "must be off: a feed runs; ask feed.execute for a quote")
    }
    yield* (yield* Execution).check(project, parameters.key)
    const perform = yield* performerOf(parameters)
    const newId = timeOrderedUuidOf(yield* Entropy)
    const work = Effect.flatMap(newId, (id) => perform(caller.principal().project, id, "feed"))
    const run = workOf(caller.principal().project.projectId, work)
    const feedId = yield* Entropy.uuid
    return {
      outcome: { result: { feedId } },
      afterwards: () => caller.feeds.start({ feedId, mode, periodMs, maxOverlap: limits.feedOverlap, run })
    }
  })

/** Reserves the feed's place before anything is looked up, so that a burst of starts cannot pass the limit together. */
const startWithinLimit = (params: ParameterPlace, caller: Caller): Answered =>
  Effect.suspend((): Answered => {
    const refusal = caller.feeds.reserve()
    return refusal === undefined
      ? Effect.onError(startFeed(params, caller), () => Effect.sync(() => caller.feeds.release()))
      : Effect.fail(refusal)
  })

const stopFeed = (params: ParameterPlace, caller: Caller): Answered =>
  Effect.suspend((): Answered => {
    const feedId = params.get("feedId")
    const misspelled = misspelledIn(params.keys(), ["feedId"])
    if (misspelled !== undefined) return Effect.fail(misspelled)
    if (isMissing(feedId)) return Effect.fail(required("feedId"))
    if (typeof feedId !== "string") return Effect.fail(InvalidParameter.because("feedId", "must be a string"))
    const unknown = caller.feeds.stop(feedId)
    return unknown === undefined ? Effect.succeed({ outcome: { result: { feedId } } }) : Effect.fail(unknown)
  })

/** Calls a method. */
export const callMethod = ({ method, params }: RpcCall, caller: Caller): Answered => {
  switch (method) {
    case "feed.execute":
      return execute(params, caller)
    case "feed.start":
      return startWithinLimit(params, caller)
    case "feed.stop":
      return stopFeed(params, caller)
  }
}
