/** What a service says over its WebSocket, read as far as the feed command shows it; other members are let be. */
import { Option, Schema } from "effect"

const Failure = Schema.Struct({
  _tag: Schema.optional(Schema.String),
  code: Schema.optional(Schema.Number),
  error: Schema.String
})

/** Why a run or a request failed. */
export type Failure = typeof Failure.Type

const Authorized = Schema.Struct({
  method: Schema.Literal("authorized"),
  params: Schema.Struct({ organizationSlug: Schema.String, remainingCreditsSnapshot: Schema.String })
})

const FeedResult = Schema.Struct({
  method: Schema.Literal("feed.result"),
  params: Schema.Struct({
    feedId: Schema.String,
    seq: Schema.optional(Schema.Number),
    scheduledAt: Schema.optional(Schema.Number),
    startedAt: Schema.optional(Schema.Number),
    result: Schema.optional(Schema.Struct({ data: Schema.Struct({ result: Schema.Unknown }) })),
    error: Schema.optional(Failure)
  })
})

/** One run of a feed. */
export type FeedRun = (typeof FeedResult.Type)["params"]

const Reply = Schema.Struct({
  id: Schema.NullOr(Schema.String),
  result: Schema.optional(Schema.Struct({ feedId: Schema.String })),
  error: Schema.optional(Failure)
})

const decode = Schema.decodeUnknownOption(Schema.parseJson(Schema.Union(FeedResult, Authorized, Reply)))

/** One message of the service. `raw` is what a program would want of a run: all of its params. */
export type ServiceMessage =
  | { readonly _tag: "authorized"; readonly organization: string; readonly credits: string }
  | { readonly _tag: "run"; readonly run: FeedRun; readonly raw: object }
  | {
      readonly _tag: "reply"
      readonly id: string | null
      readonly feedId: string | undefined
      readonly error: Failure | undefined
    }
  | { readonly _tag: "unknown" }

/** Reads one text frame. */
export const readServiceMessage = (text: string): ServiceMessage =>
  Option.match(decode(text), {
    onNone: (): ServiceMessage => ({ _tag: "unknown" }),
    onSome: (message) => {
      if (!("method" in message))
        return { _tag: "reply", id: message.id, feedId: message.result?.feedId, error: message.error }
      if (message.method === "feed.result") {
        const { params }: { readonly params: object } = JSON.parse(text)
        return { _tag: "run", run: message.params, raw: params }
      }
      const { organizationSlug, remainingCreditsSnapshot } = message.params
      return { _tag: "authorized", organization: organizationSlug, credits: remainingCreditsSnapshot }
    }
  })
