/** Facts for the WebSocket documentation beside the messages: errors, modes, close codes, limits. Codes and numbers come from the code. */
import * as Errors from "../../contract/errors.ts"
import { failedExecutionCode } from "../../contract/rpc.ts"
import type { Limits } from "../../domain/settings/limits.ts"
import type { FeedMode } from "../../domain/runs/feedSchedule.ts"
import { closeCodes } from "../../contract/closeCodes.ts"
import { charsOfARefusal, refusedMessages } from "../../domain/runs/allowance.ts"
import { mostUnread, mostUnreadChars } from "../../domain/runs/unreadMessages.ts"

/** What a parameter is for; its type is in its schema. */
export const parameterMeanings: Readonly<Record<string, string>> = {
  execProgramId: "the program of the execution phase",
  execInputs: "its inputs",
  tallyProgramId: "the program of the tally phase; the same one when left out",
  tallyInputs: "its inputs",
  inputEncoding: "how both inputs are written; auto: 0x begins hex, anything else is text",
  returnLastResult: "answer the last successful result without running and without charge, if there is one",
  returnLastResultMaxAge: "… unless it is older than this",
  injectLastResult: "show the program the last result: the last successful one, the last one, or none",
  includeSummary: "add data.summary: credits and gas used",
  includeDebugInfo: "add both phases with stdout and stderr",
  noPrefetch: "prefetch no HTTP requests of the program",
  includeRecording: "keep what the run depends on, so that GET /executions/{id}/recording can answer it",
  dryRun: "run nothing, charge nothing: answer what a run would cost; not for feeds",
  encoding: "the form of result; hex when left out",
  execute: "the parameters of each run, as in feed.execute",
  periodicityMs: "the period",
  mode: "the schedule, see below",
  share: "one run a tick for all connections of the project that ask for the same feed, charged once",
  feedId: "of feed.stop, the id that feed.start or feed.follow answered; of feed.follow, that of a durable feed of the project"
}

/** The three schedules in words (decisions D36 to D38). */
export const modeMeanings: Readonly<Record<FeedMode, string>> = {
  FIXED:
    "Starts lie on an even grid. A run longer than the period is followed at once; the points it passed are dropped. Runs never overlap.",
  SEQUENTIAL: "The next run starts one period after the previous one ended.",
  PARALLEL:
    "A run starts every period, whether or not earlier ones have ended. One beyond the limits of runs at once is a feed.result with error."
}

/** One row of the error table. `tag` is the error object's `_tag`. */
export interface ErrorFact {
  readonly code: number
  readonly tag: string
  readonly when: string
  /** What to do about it. */
  readonly cure: string
}

/** The tag, code and cure of an error, taken from its class. */
const fact = (error: (typeof Errors)[keyof typeof Errors], when: string): ErrorFact => {
  const { _tag, rpcCode } = new error({ message: when })
  return { code: rpcCode, tag: _tag, when, cure: error.meaning.cure }
}

const failedExecutionCure =
  "read the message, and with includeDebugInfo what the program printed; often something that it fetched failed, and the next run succeeds"

/** Every error that a WebSocket client can meet (decisions D16, D17). */
export const errorFacts: ReadonlyArray<ErrorFact> = [
  {
    code: 32700,
    tag: "ParseError",
    when: "the message is not JSON",
    cure: "send JSON in one text frame; the message says at which character it ends to be that"
  },
  fact(Errors.InvalidRequest, "the message is a batch, or jsonrpc, id or method is missing or malformed"),
  fact(Errors.MethodNotFound, "there is no such method"),
  fact(Errors.InvalidParameter, "a parameter breaks its rule; details names both"),
  fact(Errors.ProgramNotAllowed, "the program is not on the project's allow-list"),
  fact(Errors.OutsideTicket, "the ticket that has opened the connection does not allow this; details names what"),
  fact(Errors.FeedNotFound, "no feed of this connection has this id"),
  fact(Errors.InternalError, "a fault of the service; nothing was charged"),
  {
    code: failedExecutionCode,
    tag: "FailedExecutionResponse",
    when: "the program ended with a non-zero exit code; data is its signed result",
    cure: failedExecutionCure
  },
  fact(Errors.InsufficientCredits, "the balance does not cover the run; details says what it would take"),
  fact(Errors.ProgramNotFound, "no program is deployed under this id"),
  fact(Errors.CreditLimitExceeded, "the project's usage limit of this period is reached"),
  fact(Errors.FeedLimit, "the connection runs as many feeds as it may"),
  fact(Errors.FeedOverlapLimit, "a PARALLEL feed has too many runs in flight; this one did not start"),
  fact(
    Errors.Overloaded,
    "too many runs in flight, of the project or of the connection's feeds, too many unanswered requests, or the service is closing"
  ),
  fact(Errors.Unavailable, "the service's database cannot be reached now; try again in a second")
]

/** One row of the table of refused upgrades: a status, and the `_tag` of its body. */
export interface UpgradeFact {
  readonly code: number
  readonly tag: string
  readonly when: string
}

/** How an upgrade is refused: HTTP statuses, before any frame (decision D18). */
export const upgradeFacts: ReadonlyArray<UpgradeFact> = (
  [
    [Errors.Unauthorized, "no key and no ticket, or none that is valid now"],
    [Errors.OutsideTicket, "the ticket allows neither runs nor feeds, or not this origin"],
    [Errors.UpgradeRequired, "a plain request to this address, or another version of the protocol than 13"],
    [Errors.MethodNotAllowed, "a handshake by another method than GET"],
    [Errors.InvalidRequest, "a handshake without a valid Sec-WebSocket-Key"],
    [Errors.TooManyConnections, "the key has as many connections open as it may"],
    [Errors.Overloaded, "the service is draining"],
    [Errors.Unavailable, "its database cannot be reached now"]
  ] as const
).map(([error, when]) => ({ code: error.status, tag: new error({ message: when })._tag, when }))

const count = (value: number): string => String(value).replace(/\B(?=(?:\d{3})+$)/g, ",")

/** One row of the table of close codes. */
export interface CloseFact {
  readonly code: number
  readonly when: string
  /** What to do about it. */
  readonly cure: string
}

/** The codes with which the service closes a connection; the close frame has the reason in words (decisions D18, D41). */
export const closeFacts: ReadonlyArray<CloseFact> = [
  { code: closeCodes.goingAway, when: "the service is closing", cure: "connect again after a second, and start the feeds again" },
  { code: 1002, when: "a frame breaks the WebSocket protocol", cure: "use a client that keeps RFC 6455; frames of clients are masked" },
  { code: closeCodes.unsupportedData, when: "a binary message; only text is understood", cure: "send each message as a text frame" },
  { code: 1007, when: "a text message that is not UTF-8", cure: "encode messages as UTF-8" },
  { code: closeCodes.policy, when: "the key, or that of the ticket, was revoked or has expired", cure: "connect with a key that is valid" },
  {
    code: closeCodes.policy,
    when: `more than ${count(mostUnread)} messages, or ${count(mostUnreadChars)} characters of them, wait to be read`,
    cure: "wait for answers before you send more"
  },
  {
    code: closeCodes.policy,
    when: `more than ${count(refusedMessages.atOnce)} messages had to be refused, and ${count(refusedMessages.eachSecond)} more each second; ${count(charsOfARefusal)} characters count as one`,
    cure: "read the errors that they were answered with, and wait for answers before you send more"
  },
  {
    code: closeCodes.policy,
    when: "on Node.js: one message in more than 16,384 fragments",
    cure: "send a message in one frame, or in fewer of them"
  },
  { code: closeCodes.tooLarge, when: "a message over the limit", cure: "send smaller inputs; the limit is listed with the others" },
  {
    code: closeCodes.tryAgainLater,
    when: "the client reads too slowly and too much output is waiting, behind which the close waits: who reads nothing for 2 s more is cut off, and sees 1006",
    cure: "read faster, or ask for less: longer periods, fewer feeds, no debug information; then connect again"
  },
  {
    code: closeCodes.tryAgainLater,
    when: "the key has more connections than it may on all processes of the server together; one process knows that before it opens one, and answers 429",
    cure: "close connections that you do not need, and put more feeds on one; then connect again"
  }
]

/** One row of the table of limits. */
export interface LimitFact {
  readonly what: string
  readonly value: string
}

/** The limits of this service; a project may have its own (decisions D29, D41). */
export const limitFacts = (limits: Limits): ReadonlyArray<LimitFact> => [
  { what: "connections of one key", value: count(limits.connectionsPerKey) },
  { what: "feeds of one connection", value: count(limits.feedsPerConnection) },
  { what: "runs of one PARALLEL feed at once", value: count(Math.min(limits.feedOverlap, limits.runsPerProject)) },
  { what: "runs of the project at once, and of all feeds of one connection", value: count(limits.runsPerProject) },
  { what: "unanswered requests of one connection", value: count(limits.requestsPerConnection) },
  { what: "one message", value: `${count(limits.requestBytes)} bytes` },
  { what: "each input", value: `${count(limits.inputBytes)} bytes` },
  {
    what: "time between pings; a client that has not answered one by the next is cut off",
    value: `${count(limits.pingIntervalMs)} ms`
  },
  {
    what: "output waiting for a slow reader",
    value: `${count(limits.outputHardBytes)} bytes, or ${count(limits.outputSoftBytes)} bytes for ${count(limits.outputSoftMs)} ms`
  }
]
