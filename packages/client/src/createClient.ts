/** The client of one service. */
import { addressesOf } from "./ground/addresses.ts"
import type { DurableFeed, Info, ProjectKey, Program, Project, QuoteResponse, ReportsPage, Ticket } from "./contract/records.ts"
import type { ExecuteRequest, LastResultRequest, ReportsRequest, TicketRequest } from "./contract/requests.ts"
import type { Auth } from "./ground/credentials.ts"
import { InvalidOption } from "./errors/clientError.ts"
import { ConnectionFeed, type FeedRequest } from "./feeds/connectionFeed.ts"
import type { FeedItem } from "./feeds/feedItem.ts"
import { FeedLoop, type FeedOptions } from "./feeds/feedLoop.ts"
import type { FeedSink, FeedSource } from "./feeds/feedSink.ts"
import { FollowedFeed, type FollowRequest } from "./feeds/followedFeed.ts"
import type { ConnectionEvent } from "./feeds/link.ts"
import { Links } from "./feeds/links.ts"
import { checkedNames, checkObject, type NamesOf } from "./ground/checkedNames.ts"
import { type Fetch, type Platform, platformOf, type WebSocketClass } from "./ground/platform.ts"
import { type Caller, callService } from "./rest/call.ts"
import {
  type CallOptions,
  encodingOf,
  execute,
  type ExecuteOptions,
  lastResult,
  quote,
  reports,
  type ResultOptions
} from "./rest/executions.ts"
import type { Executed } from "./ground/resultSchema.ts"
import { defaultRetry, type RetryPolicy, retryNames } from "./ground/retryPolicy.ts"

/** What a client is made of. */
export interface ClientOptions {
  /** The base address of the service, such as `https://oracle.example`. */
  readonly url?: string | undefined
  /** Addresses of servers of the same service, which are used in turn when one fails. */
  readonly urls?: ReadonlyArray<string> | undefined
  /** A key or, in a browser, a ticket; or a function that gives one for each request and connection. */
  readonly auth?: Auth | undefined
  readonly retry?: Partial<RetryPolicy> | undefined
  /** How long an attempt over HTTP may take, in milliseconds; 120,000 by default. */
  readonly timeoutMs?: number | undefined
  /** In place of the runtime's own. */
  readonly fetch?: Fetch | undefined
  /** In place of the runtime's own; Node 20 has none, there the class of the package `ws` is given. */
  readonly WebSocket?: WebSocketClass | undefined
  /** Told of each connection of feeds: that it is open, or lost and why. */
  readonly onConnection?: ((event: ConnectionEvent) => void) | undefined
}

/** A service. Calls reject with a `ClientError`, with the reason of their signal, or with what the function for `auth` throws. */
export interface Client {
  /** Runs a program. Attempts have one idempotency key, so the program runs, and is charged, once. */
  execute<R = unknown>(request: ExecuteRequest, options?: ExecuteOptions<R>): Promise<Executed<R>>
  /** What a run would cost; nothing runs. */
  quote(request: ExecuteRequest, options?: CallOptions): Promise<QuoteResponse["data"]>
  /** The last stored result of a request, without a run or a charge. */
  lastResult<R = unknown>(request: LastResultRequest, options?: ResultOptions<R>): Promise<Executed<R>>
  /** Past runs, newest first, page by page. */
  reports(request: ReportsRequest, options?: CallOptions): AsyncIterable<ReportsPage>
  /** Credits, limits and allowed programs of the project. */
  project(options?: CallOptions): Promise<Project>
  /** The valid keys of the project by name, oldest first. */
  keys(options?: CallOptions): Promise<ReadonlyArray<ProjectKey>>
  /** The recording of a run by its id, as the text of the file that `sibyl replay` takes; for runs that were asked for with `includeRecording`. */
  recording(id: string, options?: CallOptions): Promise<string>
  /** A program by its id or a name: its size, what was found in it, and what the project's last runs of it took. */
  program(reference: string, options?: CallOptions): Promise<Program>
  /** The public key that signs, and versions. */
  info(options?: CallOptions): Promise<Info>
  /** Adds a durable feed, to be followed with its id. */
  addFeed(request: Omit<FeedRequest, "share">, options?: CallOptions): Promise<DurableFeed>
  /** The durable feeds of the project, oldest first. */
  feeds(options?: CallOptions): Promise<ReadonlyArray<DurableFeed>>
  /** Removes a durable feed. */
  removeFeed(feedId: string, options?: CallOptions): Promise<void>
  /** Makes a ticket with the key, to give to a browser. */
  ticket(request?: TicketRequest, options?: CallOptions): Promise<Ticket>
  /**
   * Runs again and again, or follows a durable feed. Each loop has a feed of its own, which begins with the loop and is stopped when the loop
   * is left. Lost connections are made again; what may be missing is told as a gap.
   */
  feed<R = unknown>(request: FeedRequest | FollowRequest, options?: FeedOptions<R>): AsyncIterable<FeedItem<R>>
}

const clientNames: NamesOf<Required<ClientOptions>> = {
  url: true,
  urls: true,
  auth: true,
  retry: true,
  timeoutMs: true,
  fetch: true,
  WebSocket: true,
  onConnection: true
}

const feedNames: NamesOf<Required<FeedRequest>> = { execute: true, mode: true, periodicityMs: true, share: true }

const followNames: NamesOf<Required<FollowRequest>> = { feedId: true, after: true, parallel: true }

const checkedFeed = (request: FeedRequest | FollowRequest): FeedRequest | FollowRequest => {
  const given: unknown = request
  if (typeof given === "object" && given !== null && "feedId" in given) return checkedNames("feed", request as FollowRequest, followNames)
  const { execute } = checkedNames("feed", request as FeedRequest, feedNames)
  checkObject("feed.execute", execute)
  return request
}

const checkedFeedOptions = <R>(options: FeedOptions<R>): FeedOptions<R> => {
  checkedNames<FeedOptions<R>>("options", options, { schema: true, signal: true, whenSlow: true, maxWaiting: true })
  const { maxWaiting = 1, whenSlow = "buffer" } = options
  if (!Number.isInteger(maxWaiting) || maxWaiting < 1) throw new InvalidOption("maxWaiting", "must be a whole number of at least 1")
  if (!["buffer", "latest", "fail"].includes(whenSlow)) throw new InvalidOption("whenSlow", "must be buffer, latest or fail")
  return options
}

const withEncoding = <R>(request: FeedRequest, { schema }: FeedOptions<R>): FeedRequest => {
  const encoding = encodingOf(request.execute, schema)
  return encoding === undefined ? request : { ...request, execute: { ...request.execute, encoding } }
}

const beginFeed = (caller: Caller, links: Links, request: FeedRequest | FollowRequest, sink: FeedSink): FeedSource => {
  const ground = { platform: caller.platform, retry: caller.retry, sink }
  if (!("feedId" in request)) {
    const feed = new ConnectionFeed(ground, request, links.forFeed())
    feed.start()
    return feed
  }
  const { links: own, release } = links.forFollowing(request.feedId, request.parallel === true)
  const feed = new FollowedFeed(ground, request, own)
  feed.start()
  return {
    stop: () => {
      feed.stop()
      release()
    }
  }
}

/** A client on a runtime that is given. */
export const createClientOn = (platform: Platform, options: ClientOptions): Client => {
  const { auth, onConnection = () => undefined, retry: given = {}, timeoutMs = 120_000 } = checkedNames("options", options, clientNames)
  const retry = { ...defaultRetry, ...checkedNames<Partial<RetryPolicy>>("retry", given, retryNames) }
  const caller: Caller = { platform, addresses: addressesOf(options), auth, retry, timeoutMs }
  const links = new Links({ caller, onConnection })
  return {
    execute: (request, given = {}) => execute(caller, request, given),
    quote: (request, given = {}) => quote(caller, request, given),
    lastResult: (request, given = {}) => lastResult(caller, request, given),
    reports: (request, given = {}) => reports(caller, request, given),
    project: async ({ signal } = {}) => (await callService(caller, { method: "GET", path: "/project", signal })) as Project,
    keys: async ({ signal } = {}) =>
      ((await callService(caller, { method: "GET", path: "/keys", signal })) as { readonly data: ReadonlyArray<ProjectKey> }).data,
    // A recording is compact JSON: written again, it is the same text.
    recording: async (id, { signal } = {}) =>
      JSON.stringify(await callService(caller, { method: "GET", path: `/executions/${encodeURIComponent(id)}/recording`, signal })),
    program: async (reference, { signal } = {}) =>
      (await callService(caller, { method: "GET", path: `/programs/${encodeURIComponent(reference)}`, signal })) as Program,
    info: async ({ signal } = {}) => (await callService(caller, { method: "GET", path: "/info", open: true, signal })) as Info,
    // Not tried again: the service does not know whether it is the same feed.
    addFeed: async (body, { signal } = {}) =>
      (await callService(
        { ...caller, retry: { ...caller.retry, attempts: 1 } },
        { method: "POST", path: "/feeds", body, signal }
      )) as DurableFeed,
    feeds: async ({ signal } = {}) =>
      ((await callService(caller, { method: "GET", path: "/feeds", signal })) as { readonly data: ReadonlyArray<DurableFeed> }).data,
    removeFeed: async (feedId, { signal } = {}) =>
      void (await callService(caller, { method: "DELETE", path: `/feeds/${encodeURIComponent(feedId)}`, signal })),
    ticket: async (body = {}, { signal } = {}) => (await callService(caller, { method: "POST", path: "/tickets", body, signal })) as Ticket,
    feed: (request, given = {}) => {
      const checked = checkedFeedOptions(given)
      const asked = "feedId" in checkedFeed(request) ? request : withEncoding(request as FeedRequest, checked)
      return { [Symbol.asyncIterator]: () => new FeedLoop(checked, (sink) => beginFeed(caller, links, asked, sink)) }
    }
  }
}

/** A client. Throws {@link InvalidOption}. Nothing is sent before the first call, and no connection made before the first feed. */
export const createClient = (options: ClientOptions): Client => {
  checkObject("options", options)
  return createClientOn(platformOf(options), options)
}
