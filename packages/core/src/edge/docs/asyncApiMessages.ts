/** The messages of the WebSocket interface by name: who sends them, their purpose, and their schemas from the contract. */
import { Schema } from "effect"
import { ExecuteBody, ExecuteQuery } from "../../contract/executeParams.ts"
import { ExecuteResponse, QuoteResponse } from "../../contract/records.ts"
import {
  AuthorizedNotification,
  FeedEndedNotification,
  FeedFollowParams,
  FeedGapNotification,
  FeedId,
  FeedResultNotification,
  FeedStartParams,
  RpcError,
  type RpcMethod,
  RpcReply,
  RpcRequest
} from "../../contract/rpc.ts"
import type { Limits } from "../../domain/settings/limits.ts"

/** One kind of message. */
export interface MessageKind {
  readonly name: string
  readonly title: string
  readonly summary: string
  readonly schema: Schema.Schema.AnyNoContext
}

/** One method: its request, and the message that answers it on success; an error message may answer it instead. */
export interface MethodKind {
  readonly method: RpcMethod
  readonly params: Schema.Schema.AnyNoContext
  readonly request: MessageKind
  readonly reply: MessageKind
}

/** The limits that the messages mention. */
export type MessageLimits = Pick<Limits, "minPeriodMs" | "maxPeriodMs">

const message = (name: string, title: string, summary: string, schema: Schema.Schema.AnyNoContext): MessageKind => ({
  name,
  title,
  summary,
  schema: schema.annotations({ identifier: name })
})

const method = (
  method: RpcMethod,
  params: Schema.Schema.AnyNoContext,
  result: Schema.Schema.AnyNoContext,
  names: { readonly request: string; readonly reply: string },
  summaries: { readonly request: string; readonly reply: string }
): MethodKind => {
  const { id, jsonrpc } = RpcRequest.fields
  const request = Schema.Struct({ jsonrpc, id, method: Schema.Literal(method), params })
  const reply = Schema.Struct({ jsonrpc, id, result })
  return {
    method,
    params,
    request: message(names.request, method, summaries.request, request),
    reply: message(names.reply, `Reply to ${method}`, summaries.reply, reply)
  }
}

const { execInputs, execProgramId: _optional, tallyInputs, tallyProgramId, ...optionFields } = ExecuteBody.fields

/** The parameters of one execution; here, unlike in a POST, there is no query that could hold the program id. */
const ExecuteParams = Schema.Struct({
  execProgramId: ExecuteQuery.fields.execProgramId,
  execInputs,
  tallyProgramId,
  tallyInputs,
  ...optionFields
}).annotations({ identifier: "ExecuteParams" })

const startParams = ({ maxPeriodMs, minPeriodMs }: MessageLimits) =>
  Schema.Struct({
    ...FeedStartParams.fields,
    execute: ExecuteParams,
    periodicityMs: Schema.Int.pipe(Schema.between(minPeriodMs, maxPeriodMs)).annotations({
      description: `milliseconds, a whole number from ${minPeriodMs} to ${maxPeriodMs}; what it measures is the mode's choice`
    }),
    mode: FeedStartParams.fields.mode.annotations({ description: "how runs follow each other" })
  }).annotations({ identifier: "FeedStartParams" })

/** The methods that a client calls. */
export const methodKinds = (limits: MessageLimits): ReadonlyArray<MethodKind> => [
  method(
    "feed.execute",
    ExecuteParams,
    Schema.Union(ExecuteResponse, QuoteResponse),
    { request: "ExecuteRequest", reply: "ExecuteReply" },
    {
      request: "Runs a program once.",
      reply: "The signed result, as GET /execute answers it; with dryRun, what a run would cost."
    }
  ),
  method(
    "feed.start",
    startParams(limits),
    FeedId,
    { request: "FeedStartRequest", reply: "FeedStartReply" },
    {
      request: "Runs a program again and again until it is stopped or the connection ends.",
      reply: "The new feed's id. Run 0 starts right after this message."
    }
  ),
  method(
    "feed.stop",
    FeedId,
    FeedId,
    { request: "FeedStopRequest", reply: "FeedStopReply" },
    {
      request: "Stops a feed of this connection.",
      reply: "The stopped feed's id. No result of it follows this message."
    }
  ),
  method(
    "feed.follow",
    FeedFollowParams,
    FeedId,
    { request: "FeedFollowRequest", reply: "FeedFollowReply" },
    {
      request: "Follows a durable feed of the project: sends the runs after a place as far as they are kept, and those to come.",
      reply: "The feed's id. Its results follow, each once, in the order of their places; feed.stop ends them."
    }
  )
]

/** The notifications of the service. */
export const notificationKinds: ReadonlyArray<MessageKind> = [
  message(
    "Authorized",
    "authorized",
    "The first message of every connection: whose key it is, and its credits at this moment.",
    AuthorizedNotification
  ),
  message(
    "FeedResult",
    "feed.result",
    "One run of a feed, in the order in which runs end: result or error, never both. An error does not stop the feed.",
    FeedResultNotification
  ),
  message(
    "FeedGap",
    "feed.gap",
    "Results that are not sent: of a shared feed, they did not arrive from another server; of a durable one, they are not kept. The feed goes on.",
    FeedGapNotification
  ),
  message("FeedEnded", "feed.ended", "A followed feed was removed. Nothing follows.", FeedEndedNotification)
]

/** Answers any request that failed. */
export const errorKind: MessageKind = message(
  "ErrorReply",
  "Error reply",
  "Why a request failed. The id is null when the message was not JSON or not a request.",
  Schema.Struct({ jsonrpc: RpcReply.fields.jsonrpc, id: RpcReply.fields.id, error: RpcError })
)
