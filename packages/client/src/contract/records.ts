/** The records that a service answers with, as plain types; a test holds them equal to the schemas of the contract. */
import type { FeedMode } from "./requests.ts"

/** The request as submitted. Hex without `0x`, amounts as decimal text. */
export interface DataRequest {
  readonly consensusFilter: string
  readonly execGasLimit: string
  readonly execInputs: string
  readonly execProgramId: string
  /** The name, where the request named the program by one. */
  readonly execOnsName?: string | undefined
  readonly gasPrice: string
  readonly memo: string
  readonly replicationFactor: number
  readonly tallyGasLimit: string
  readonly tallyInputs: string
  readonly tallyProgramId: string
  readonly version: string
}

/** The signed outcome. Hex without `0x`, amounts as decimal text. */
export interface DataResult {
  readonly drId: string
  readonly gasUsed: string
  readonly blockHeight: string
  /** Milliseconds since the Unix epoch. */
  readonly blockTimestamp: string
  readonly consensus: boolean
  readonly exitCode: number
  readonly version: string
  readonly result: string
  readonly paybackAddress: string
  readonly servicePayload?: string | undefined
  readonly sedaPayload?: string | undefined
}

/** A request of a program to the outside world. */
export interface HostCall {
  readonly kind: "fetch" | "proxyPrice" | "proxyFetch" | "storage"
  /** Method and address as the program asked, cut after 256 characters; of storage: `read`, `write` or `delete`. */
  readonly request: string
  /** Of the answer to an HTTP request; absent if none came. */
  readonly status?: number | undefined
  /** Of the answer's body. */
  readonly bytes: number
  /** From the beginning of the phase until the program could have the answer, in ms. */
  readonly answeredAfterMs: number
}

/** A limit that a phase reached, and what it allows. */
export interface ReachedLimit {
  /** Its name, for the most part that of the service's setting: `resultBytes`, `execWallClockMs`. */
  readonly limit: string
  /** A decimal number; null where it is not one. */
  readonly allowed: string | null
}

/** One phase, with `includeDebugInfo`. */
export interface Phase {
  readonly result: unknown
  readonly gasUsed: string
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
  /** Those that ended it, cut its output or rejected calls; absent if there were none. */
  readonly limits?: ReadonlyArray<ReachedLimit> | undefined
  readonly prefetch?: { readonly requested: number; readonly used: number } | undefined
  /** The first 32, in order; absent if there were none. */
  readonly hostCalls?: ReadonlyArray<HostCall> | undefined
}

/** A price in credits by its parts. */
export interface Cost {
  readonly base: string
  readonly gas: string
  readonly dataProxies: string
  readonly total: string
}

/** Credits and gas of a run, with `includeSummary`. */
export interface Summary {
  readonly creditsUsed: string
  readonly creditsRemaining: string
  readonly cost: Cost
  readonly gasUsed: { readonly exec: string; readonly tally: string }
  readonly dataProxies: ReadonlyArray<{ readonly publicKey: string; readonly fee: string; readonly calls: number }>
  readonly durationMs: number
}

/** Whether a run can be run again. */
export interface KeptRecording {
  /** False: it was too large. */
  readonly kept: boolean
  readonly bytes: number
}

/** The data of one run, successful or not. */
export interface ExecuteData {
  readonly id: string
  readonly requestId: string
  readonly dataRequest: DataRequest
  readonly dataResult: DataResult
  /** 65 bytes as hex: r, s, v over the result id. */
  readonly signature: string
  /** The result in the requested encoding: text, or any JSON value with `encoding: "json"`. */
  readonly result: unknown
  readonly execute?: Phase | undefined
  readonly tally?: Phase | undefined
  readonly summary?: Summary | undefined
  /** With `includeRecording`; null if the run was not recorded. */
  readonly recording?: KeptRecording | null | undefined
}

/** The copies beside `data` with `includeDebugInfo`. */
interface BesideData {
  readonly dataRequest?: DataRequest | undefined
  readonly dataResult?: DataResult | undefined
  readonly signature?: string | undefined
  readonly result?: unknown
  readonly execute?: Phase | undefined
  readonly tally?: Phase | undefined
}

/** The answer to a successful run. */
export interface ExecuteResponse extends BesideData {
  readonly _tag: "ExecuteResponse"
  readonly data: ExecuteData
}

/** The answer to a run whose program ended with a non-zero exit code: signed and charged, too. */
export interface FailedExecutionResponse extends BesideData {
  readonly _tag: "FailedExecutionResponse"
  readonly error: string
  readonly message: string
  readonly data: ExecuteData
}

/** One past run. */
export interface ReportEntry {
  readonly id: string
  readonly drId: string
  /** ISO 8601, UTC. */
  readonly executedAt: string
  readonly source: "rest" | "ws" | "feed"
  readonly exitCode: number
  readonly gasUsed: string
  readonly creditsUsed: string
  readonly dataRequest: DataRequest
  readonly dataResult: DataResult
  readonly signature: string
}

/** One page of past runs, newest first. */
export interface ReportsPage {
  readonly data: ReadonlyArray<ReportEntry>
  /** Null on the last page. */
  readonly nextPageId: string | null
}

/** What a run would cost, in credits as decimal text. */
export interface Quote {
  /** What a run holds: its maximum cost. */
  readonly worstCase: string
  /** The cost of the last run of this request; null if it never ran. */
  readonly typical: string | null
  readonly cost: Cost
  readonly gasPerWorkerMs: string
  readonly remaining: string
  /** What the usage limit leaves in this period; null without one. */
  readonly remainingInPeriod: string | null
  readonly affordable: boolean
}

/** The answer to a dry run. */
export interface QuoteResponse {
  readonly _tag: "QuoteResponse"
  readonly data: { readonly drId: string; readonly quote: Quote }
}

/** The project and the credits of a key. */
export interface VerifiedKey {
  readonly apiKeyId: string
  /** ISO 8601, or null. */
  readonly apiKeyExpiresAt: string | null
  readonly organizationId: string
  readonly organizationSlug: string
  readonly projectId: string
  readonly remainingCreditsSnapshot: string
  readonly usedCreditsSnapshot: string
}

/** A project's credits, limits and allowed programs. */
export interface Project {
  readonly projectId: string
  readonly organizationId: string
  readonly organizationSlug: string
  readonly credits: { readonly remaining: string; readonly used: string; readonly held: string }
  readonly usageLimits: { readonly periodMs: number; readonly limit: string; readonly used: string } | null
  readonly gasLimits: { readonly exec: string; readonly tally: string }
  /** Null: every program. */
  readonly allowedPrograms: ReadonlyArray<string> | null
}

/** A valid key of the project; nothing of it opens anything. */
export interface ProjectKey {
  /** Null if it was given none. */
  readonly name: string | null
  /** ISO 8601, UTC. */
  readonly createdAt: string
  /** Null: never. */
  readonly expiresAt: string | null
}

/** A program that the project may run. */
export interface Program {
  readonly programId: string
  /** Those that mean it now, sorted. */
  readonly names: ReadonlyArray<string>
  readonly sizeBytes: number
  /** Of the check at deployment; null where the machine that runs programs cannot tell. */
  readonly findings: ReadonlyArray<{ readonly level: "warning" | "note"; readonly about: string; readonly message: string }> | null
  /** At most ten, newest first, of the newest 100 runs of the project. */
  readonly lastRuns: ReadonlyArray<{
    readonly id: string
    readonly drId: string
    /** ISO 8601, UTC. */
    readonly executedAt: string
    readonly source: "rest" | "ws" | "feed"
    readonly exitCode: number
    readonly gasUsed: { readonly exec: string; readonly tally: string }
    readonly creditsUsed: string
    readonly durationMs: number
  }>
}

/** A durable feed: it runs whether or not anybody is connected, until it is removed. */
export interface DurableFeed {
  readonly feedId: string
  /** The parameters of each run. */
  readonly execute: { readonly [name: string]: unknown }
  readonly mode: FeedMode
  readonly periodicityMs: number
  /** ISO 8601, UTC. */
  readonly createdAt: string
}

/** A signing key with its time; null: without bound. */
export interface SigningKey {
  readonly publicKey: string
  readonly activeFrom: string | null
  readonly retiredAt: string | null
  readonly validUntil: string | null
}

/** The service's public key and versions. */
export interface Info {
  /** SEC1 compressed, 66 hex characters. */
  readonly publicKey: string
  readonly version: string
  readonly serverVersion: string
  readonly network: string
  readonly chainId: string
  readonly keys?: ReadonlyArray<SigningKey> | undefined
}

/** A ticket for a browser, which is shown once. */
export interface Ticket {
  readonly ticket: string
  readonly ticketId: string
  /** ISO 8601, UTC. */
  readonly expiresAt: string
  /** What a browser gives to `new WebSocket(url, subprotocols)`. */
  readonly subprotocols: ReadonlyArray<string>
}
