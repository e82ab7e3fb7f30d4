/** Calls a Sibyl service from a browser, a worker, Node or Bun. */
export type { FeedGap, FeedMessage, FeedRun, RpcError } from "./contract/messages.ts"
export type {
  Cost,
  DataRequest,
  DataResult,
  DurableFeed,
  ExecuteData,
  ExecuteResponse,
  FailedExecutionResponse,
  Info,
  Phase,
  ProjectKey,
  Program,
  Project,
  Quote,
  QuoteResponse,
  ReportEntry,
  ReportsPage,
  SigningKey,
  Summary,
  Ticket,
  VerifiedKey
} from "./contract/records.ts"
export type {
  ExecuteRequest,
  FeedMode,
  FeedPlace,
  LastResultRequest,
  ProgramInputs,
  ReportsRequest,
  TicketRequest
} from "./contract/requests.ts"
export { type Client, type ClientOptions, createClient } from "./createClient.ts"
export type { Auth } from "./ground/credentials.ts"
export {
  type ClientError,
  FailedExecution,
  InvalidOption,
  InvalidResult,
  isClientError,
  NotReached,
  type ResultIssue,
  ServiceRefusal,
  SlowConsumer,
  UnexpectedAnswer
} from "./errors/clientError.ts"
export type { ServiceTag } from "./errors/serviceTag.ts"
export type { FeedRequest } from "./feeds/connectionFeed.ts"
export type { FailedItem, FeedItem, GapItem, GapReason, ResultItem, RunPlace } from "./feeds/feedItem.ts"
export type { FeedOptions } from "./feeds/feedLoop.ts"
export type { WhenSlow } from "./feeds/feedQueue.ts"
export type { FollowRequest } from "./feeds/followedFeed.ts"
export type { ConnectionEvent } from "./feeds/link.ts"
export type { Fetch, WebSocketClass, WebSocketLike } from "./ground/platform.ts"
export type { CallOptions, ExecuteOptions, ResultOptions } from "./rest/callOptions.ts"
export type { Executed, ResultSchema, SchemaOutcome } from "./ground/resultSchema.ts"
export type { RetryOptions, RetryPolicy } from "./ground/retryPolicy.ts"
