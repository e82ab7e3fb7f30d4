/** The WebSocket contract: JSON-RPC 2.0 requests, replies and notifications (decisions D16 to D18, D39). */
import { Schema } from "effect"
import type { FeedMode } from "../domain/runs/feedSchedule.ts"
import { ExecuteBody, Flag, flagRule } from "./executeParams.ts"
import { ExecuteData, ExecuteResponse, QuoteResponse, VerifyRecord } from "./records.ts"

/** The path of the WebSocket interface, relative to the service's base address. */
export const webSocketPath = "/ws/v1"

/** The code of an execution that ended with a non-zero exit code. */
export const failedExecutionCode = 36001

/** The methods a client may call. */
export const rpcMethods = ["feed.execute", "feed.start", "feed.stop", "feed.follow"] as const

/** The name of a method. */
export type RpcMethod = (typeof rpcMethods)[number]

/** The modes of a feed by name. */
export const feedModes = ["FIXED", "SEQUENTIAL", "PARALLEL"] as const satisfies ReadonlyArray<FeedMode>

/** The rule for a mode, as told to clients. */
export const feedModeRule = `must be one of ${feedModes.join(", ")}`

/** Parameters of `feed.start`. */
export const FeedStartParams = Schema.Struct({
  execute: ExecuteBody.annotations({ description: "the parameters of each run, as in feed.execute" }),
  periodicityMs: Schema.Int.annotations({ description: "the interval in milliseconds, interpreted by mode" }),
  mode: Schema.Literal(...feedModes),
  share: Schema.optional(
    Flag.annotations({ description: `share each run with all connections of the project that ask for the same feed; ${flagRule}` })
  )
}).annotations({ identifier: "FeedStartParams" })

/** The body of `POST /feeds`. */
export const DurableFeedBody = Schema.Struct({
  execute: FeedStartParams.fields.execute,
  periodicityMs: FeedStartParams.fields.periodicityMs,
  mode: FeedStartParams.fields.mode
}).annotations({ identifier: "DurableFeedBody" })

/** Parameters of `feed.stop`, and the result of both feed methods. */
export const FeedId = Schema.Struct({ feedId: Schema.String }).annotations({ identifier: "FeedId" })

const feedPlaceFields = {
  epoch: Schema.Int.annotations({ description: "when the feed's schedule began, in milliseconds since the Unix epoch" }),
  seq: Schema.Int.annotations({ description: "0, 1, 2 ... in the order of starts within the epoch" })
}

/** A place in a durable feed. */
export const FeedPlaceRecord = Schema.Struct(feedPlaceFields).annotations({ identifier: "FeedPlace" })

/** Parameters of `feed.follow`. */
export const FeedFollowParams = Schema.Struct({
  feedId: Schema.String.annotations({ description: "the id of a durable feed of the project, from POST /feeds" }),
  after: Schema.optional(
    FeedPlaceRecord.annotations({ description: "the place of the last result that was received; by default what ends from now on is sent" })
  )
}).annotations({ identifier: "FeedFollowParams" })

/** Why a request was not answered with a result. */
export const RpcError = Schema.Struct({
  _tag: Schema.optional(Schema.String),
  code: Schema.Int,
  error: Schema.String,
  message: Schema.String.annotations({ description: "the same text as error" }),
  data: Schema.optional(ExecuteData),
  details: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
}).annotations({ identifier: "RpcError" })

/** What every request has around its parameters, which are decoded by the schema of its method. */
export const RpcEnvelope = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  id: Schema.String,
  method: Schema.Literal(...rpcMethods),
  params: Schema.Record({ key: Schema.String, value: Schema.Unknown })
})

/** The rule for each member of a request, as told to clients. */
export const envelopeRules = {
  jsonrpc: 'must be "2.0"',
  id: "must be a string",
  method: `must be one of ${rpcMethods.join(", ")}`,
  params: "must be an object"
} as const satisfies Record<keyof typeof RpcEnvelope.fields, string>

/** One request. */
export const RpcRequest = Schema.Struct({
  ...RpcEnvelope.fields,
  params: Schema.Union(ExecuteBody, FeedStartParams, FeedFollowParams, FeedId)
}).annotations({ identifier: "RpcRequest" })

/** The answer to a request, with exactly one of `result` and `error`. */
export const RpcReply = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  id: Schema.NullOr(Schema.String),
  result: Schema.optional(Schema.Union(ExecuteResponse, QuoteResponse, FeedId)),
  error: Schema.optional(RpcError)
}).annotations({ identifier: "RpcReply" })

/** The first message of every connection. */
export const AuthorizedNotification = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  method: Schema.Literal("authorized"),
  params: VerifyRecord
}).annotations({ identifier: "Authorized" })

/** One run of a feed, with exactly one of `result` and `error`. */
export const FeedResultNotification = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  method: Schema.Literal("feed.result"),
  params: Schema.Struct({
    feedId: Schema.String,
    epoch: Schema.optional(feedPlaceFields.epoch.annotations({ description: "of a durable feed: together with seq, the result's place" })),
    seq: Schema.Int.annotations({ description: "0, 1, 2 ... in the order of starts" }),
    tick: Schema.optional(
      Schema.Int.annotations({ description: "of a durable feed: the point of its schedule; those between were left out" })
    ),
    scheduledAt: Schema.Number.annotations({ description: "milliseconds since the Unix epoch" }),
    startedAt: Schema.Number.annotations({ description: "milliseconds since the Unix epoch" }),
    result: Schema.optional(ExecuteResponse),
    error: Schema.optional(RpcError)
  })
}).annotations({ identifier: "FeedResult" })

/** Results of a feed that its client is not sent: `missed` of a shared feed, `from`, `to` and `why` of a durable one. */
export const FeedGapNotification = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  method: Schema.Literal("feed.gap"),
  params: Schema.Struct({
    feedId: Schema.String,
    missed: Schema.optional(
      Schema.Int.annotations({ description: "of a shared feed: how many results are missing before the next feed.result" })
    ),
    from: Schema.optional(FeedPlaceRecord.annotations({ description: "of a durable feed: the first place that is missing" })),
    to: Schema.optional(FeedPlaceRecord.annotations({ description: "of a durable feed: the place after those that are missing" })),
    why: Schema.optional(
      Schema.Literal("newEpoch", "notKept").annotations({
        description:
          "of a durable feed: notKept, they are older than what is kept; newEpoch, the schedule began anew and what else the old one had is not known"
      })
    )
  })
}).annotations({ identifier: "FeedGap" })

/** A followed feed was removed. */
export const FeedEndedNotification = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  method: Schema.Literal("feed.ended"),
  params: Schema.Struct({ feedId: Schema.String, why: Schema.Literal("removed") })
}).annotations({ identifier: "FeedEnded" })
