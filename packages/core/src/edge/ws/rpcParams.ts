/** The parameters of the feed methods, decoded by the contract's schemas (`contract/rpc.ts`). */
import { Either, Schema } from "effect"
import { flagRule } from "../../contract/executeParams.ts"
import { InvalidParameter } from "../../contract/errors.ts"
import { feedModeRule, FeedId, FeedStartParams } from "../../contract/rpc.ts"
import { type Json, JsonNumber } from "../../domain/encoding/losslessJson.ts"
import type { Schedule } from "../../domain/runs/feedSchedule.ts"
import type { Limits } from "../../domain/settings/limits.ts"
import { isParameterPlace, type ParameterPlace } from "../execution/executeParameters.ts"
import { misspelledIn } from "../execution/misspelled.ts"

type Checked<A> = Either.Either<A, InvalidParameter>

const isMissing = (value: Json | undefined): value is undefined | null => value === undefined || value === null

const refuse = (name: string, rule: string): Checked<never> => Either.left(InvalidParameter.because(name, rule))

/** Refuses misspelled names of the schema, before anything is read. */
const refuseMisspelled = (params: ParameterPlace, schema: { readonly fields: object }): Checked<void> => {
  const misspelled = misspelledIn(params.keys(), Object.keys(schema.fields))
  return misspelled === undefined ? Either.void : Either.left(misspelled)
}

/** Null counts as absent. */
const required = (params: ParameterPlace, name: string): Checked<Json> => {
  const value = params.get(name)
  return isMissing(value) ? refuse(name, "is required") : Either.right(value)
}

const plain = (value: Json): unknown => (value instanceof JsonNumber ? Number(value.digits) : value)

/** Reads one value by its schema; `rule` is what the client is told if the value does not fit. */
const read = <A, I>(schema: Schema.Schema<A, I>, name: string, value: Json, rule: string): Checked<A> =>
  Either.mapLeft(Schema.decodeUnknownEither(schema)(plain(value)), () => InvalidParameter.because(name, rule))

const { mode: Mode, periodicityMs: PeriodicityMs, share: Share } = FeedStartParams.fields

/** What `feed.start` asks for; the parameters of its runs are read later. */
export interface FeedStart extends Pick<Schedule, "mode" | "periodMs"> {
  readonly execute: ParameterPlace
  readonly share: boolean
}

/** Reads `feed.start`, except the parameters of its runs. */
export const readFeedStart = (
  params: ParameterPlace,
  { maxPeriodMs, minPeriodMs }: Pick<Limits, "maxPeriodMs" | "minPeriodMs">
): Checked<FeedStart> =>
  Either.gen(function* () {
    yield* refuseMisspelled(params, FeedStartParams)
    const period = yield* required(params, "periodicityMs")
    const wantedMode = yield* required(params, "mode")
    const rule = `must be a whole number from ${minPeriodMs} to ${maxPeriodMs}`
    const periodMs = yield* read(PeriodicityMs, "periodicityMs", period, rule)
    if (periodMs < minPeriodMs || periodMs > maxPeriodMs) return yield* refuse("periodicityMs", rule)
    const mode = yield* read(Mode, "mode", wantedMode, feedModeRule)
    const wantedShare = params.get("share")
    const share = isMissing(wantedShare) ? false : yield* read(Share.from, "share", wantedShare, flagRule)
    const execute = yield* required(params, "execute")
    return isParameterPlace(execute)
      ? { execute, mode, periodMs, share }
      : yield* refuse("execute", "must be an object with the parameters of feed.execute")
  })

/** Reads the feed's id in `feed.stop`, and in `feed.follow` with its schema. */
export const readFeedId = (params: ParameterPlace, schema: { readonly fields: object } = FeedId): Checked<string> =>
  Either.gen(function* () {
    yield* refuseMisspelled(params, schema)
    return yield* read(FeedId.fields.feedId, "feedId", yield* required(params, "feedId"), "must be a string")
  })
