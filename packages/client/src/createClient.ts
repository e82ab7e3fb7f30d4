/** The client of one service. */
import { addressesOf } from "./ground/addresses.ts"
import type { DurableFeed, Info, ProjectKey, Program, Project, QuoteResponse, ReportsPage, Ticket } from "./contract/records.ts"
import type { ExecuteRequest, LastResultRequest, ReportsRequest, TicketRequest } from "./contract/requests.ts"
import type { Auth } from "./ground/credentials.ts"
import { checkedDurableFeed, checkedFeed, checkedFeedOptions } from "./feeds/checkedFeed.ts"
import { ConnectionFeed, type FeedRequest } from "./feeds/connectionFeed.ts"
import type { FeedItem } from "./feeds/feedItem.ts"
import { FeedLoop, type FeedOptions } from "./feeds/feedLoop.ts"
import type { FeedSink, FeedSource } from "./feeds/feedSink.ts"
import { FollowedFeed, type FollowRequest } from "./feeds/followedFeed.ts"
import type { ConnectionEvent } from "./feeds/link.ts"
import { Links } from "./feeds/links.ts"
import { checkedNames, checkObject, type NamesOf } from "./ground/checkedNames.ts"
import { checkedMs } from "./ground/checkedNumbers.ts"
import { type Fetch, type Platform, platformOf, type WebSocketClass } from "./ground/platform.ts"
import { type Call, type Caller, callService } from "./rest/call.ts"
import { type CallOptions, checkedCallOptions, type ExecuteOptions, type ResultOptions } from "./rest/callOptions.ts"
import { execute, lastResult, quote, reports } from "./rest/executions.ts"
import type { Executed } from "./ground/resultSchema.ts"
import { checkedRetry, type RetryOptions } from "./ground/retryPolicy.ts"

/** What a client is made of. */
export interface ClientOptions {
  /** The base address of the service, such as `https://oracle.example`. */
  readonly url?: string | undefined
  /** Addresses of servers of the same service, which are used in turn when one fails. */
  readonly urls?: ReadonlyArray<string> | undefined
  /** A key or, in a browser, a ticket; or a function that gives one for each request and connection. */
  readonly auth?: Auth | undefined
  readonly retry?: RetryOptions | undefined
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

const ticketNames: NamesOf<Required<TicketRequest>> = {
  expiresInMs: true,
  maxUses: true,
  allow: true,
  programs: true,
  origins: true,
  maxCredits: true
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
  const { auth, onConnection = () => undefined, retry = {}, timeoutMs = 120_000 } = checkedNames("options", options, clientNames)
  const caller: Caller = {
    platform,
    addresses: addressesOf(options),
    turn: { at: 0 },
    auth,
    retry: checkedRetry(retry),
    timeoutMs: checkedMs("timeoutMs", timeoutMs, 1)
  }
  const links = new Links({ caller, onConnection })
  /** A call as it is answered; async, so that what is wrong with its options is a rejection. */
  const call = async (asked: Call, options: CallOptions = {}): Promise<unknown> =>
    callService(caller, { ...asked, signal: checkedCallOptions(options).signal })
  return {
    execute: (request, given = {}) => execute(caller, request, given),
    quote: (request, given = {}) => quote(caller, request, given),
    lastResult: (request, given = {}) => lastResult(caller, request, given),
    reports: (request, given = {}) => reports(caller, request, given),
    project: async (given) => (await call({ method: "GET", path: "/project" }, given)) as Project,
    keys: async (given) => ((await call({ method: "GET", path: "/keys" }, given)) as { readonly data: ReadonlyArray<ProjectKey> }).data,
    // A recording is compact JSON: written again, it is the same text.
    recording: async (id, given) =>
      JSON.stringify(await call({ method: "GET", path: `/executions/${encodeURIComponent(id)}/recording` }, given)),
    program: async (reference, given) =>
      (await call({ method: "GET", path: `/programs/${encodeURIComponent(reference)}` }, given)) as Program,
    info: async (given) => (await call({ method: "GET", path: "/info", open: true }, given)) as Info,
    // Not tried again: the service does not know whether it is the same feed.
    addFeed: async (request, given) =>
      (await call({ method: "POST", path: "/feeds", body: checkedDurableFeed(request), isOnce: true }, given)) as DurableFeed,
    feeds: async (given) => ((await call({ method: "GET", path: "/feeds" }, given)) as { readonly data: ReadonlyArray<DurableFeed> }).data,
    removeFeed: async (feedId, given) =>
      void (await call({ method: "DELETE", path: `/feeds/${encodeURIComponent(feedId)}`, doneBy: "FeedNotFound" }, given)),
    ticket: async (request = {}, given) =>
      (await call(
        { method: "POST", path: "/tickets", body: checkedNames<TicketRequest>("request", request, ticketNames) },
        given
      )) as Ticket,
    feed: (request, given = {}) => {
      const checked = checkedFeedOptions(given)
      const asked = checkedFeed(request, checked)
      return { [Symbol.asyncIterator]: () => new FeedLoop(checked, (sink) => beginFeed(caller, links, asked, sink)) }
    }
  }
}

/** A client. Throws {@link InvalidOption}. Nothing is sent before the first call, and no connection made before the first feed. */
export const createClient = (options: ClientOptions): Client => {
  checkObject("options", options)
  return createClientOn(platformOf(options), options)
}
