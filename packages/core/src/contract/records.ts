/** The records that clients receive, as schemas with the wire's field names, types and order. */
import { Schema } from "effect"
import { ReachedLimit } from "./reachedLimit.ts"
import { Hex, Id, Uint } from "./wireTexts.ts"

/** The request as submitted. */
export const DataRequestRecord = Schema.Struct({
  consensusFilter: Hex,
  execGasLimit: Uint,
  execInputs: Hex,
  execProgramId: Id,
  execOnsName: Schema.optional(Schema.String).annotations({
    description: "the name, where the request named the program by one; it is not hashed"
  }),
  gasPrice: Uint,
  memo: Hex,
  replicationFactor: Schema.Int,
  tallyGasLimit: Uint,
  tallyInputs: Hex,
  tallyProgramId: Id,
  version: Schema.String
}).annotations({ identifier: "DataRequest" })

/** The signed outcome. The name of the last field is an option of the service (decision D2). */
export const DataResultRecord = Schema.Struct({
  drId: Id,
  gasUsed: Uint,
  blockHeight: Uint,
  blockTimestamp: Uint.annotations({ description: "milliseconds since the Unix epoch" }),
  consensus: Schema.Boolean,
  exitCode: Schema.Int.pipe(Schema.between(0, 255)),
  version: Schema.String,
  result: Hex,
  paybackAddress: Hex,
  servicePayload: Schema.optional(Hex),
  sedaPayload: Schema.optional(Hex)
}).annotations({ identifier: "DataResult" })

const resultMeaning = "the result bytes in the requested encoding: text, or any JSON value with encoding=json"
/** Its types are named one by one, because generators take a schema without any for an object. */
const EncodedResult = Schema.Unknown.annotations({
  description: resultMeaning,
  jsonSchema: {
    type: ["string", "object", "array", "number", "boolean", "null"],
    additionalProperties: true,
    items: {},
    description: resultMeaning
  }
})

/** A request of a program to the outside world. */
const HostCallRecord = Schema.Struct({
  kind: Schema.Literal("fetch", "proxyPrice", "proxyFetch", "storage"),
  request: Schema.String.annotations({
    description: "method and address as the program asked, cut after 256 characters; of storage: read, write or delete"
  }),
  status: Schema.optional(Schema.Int).annotations({ description: "of the answer to an HTTP request; absent if none came" }),
  bytes: Schema.Int.annotations({ description: "of the answer's body" }),
  answeredAfterMs: Schema.Int.annotations({
    description: "from the beginning of the phase until the program could have the answer, in ms"
  })
}).annotations({ identifier: "HostCall" })

/** One phase, included with debug information. */
export const PhaseRecord = Schema.Struct({
  result: EncodedResult,
  gasUsed: Uint,
  stdout: Schema.String,
  stderr: Schema.String,
  exitCode: Schema.Int,
  limits: Schema.optional(Schema.Array(ReachedLimit)).annotations({
    description: "the limits that the phase reached: they ended it, cut its output or rejected calls; absent if there were none"
  }),
  prefetch: Schema.optional(Schema.Struct({ requested: Schema.Int, used: Schema.Int })).annotations({
    description: "how many HTTP requests were prefetched, and how many of their answers the program used; absent if none was"
  }),
  hostCalls: Schema.optional(Schema.Array(HostCallRecord)).annotations({
    description: "the first 32 requests of the program to the outside world, in order; absent if it made none"
  })
}).annotations({ identifier: "Phase" })

/** A price by its parts. */
const CostRecord = Schema.Struct({ base: Uint, gas: Uint, dataProxies: Uint, total: Uint })

/** Credit usage, included with `includeSummary` (decision D12). */
export const SummaryRecord = Schema.Struct({
  creditsUsed: Uint,
  creditsRemaining: Uint,
  cost: CostRecord,
  gasUsed: Schema.Struct({ exec: Uint, tally: Uint }),
  dataProxies: Schema.Array(Schema.Struct({ publicKey: Schema.String, fee: Uint, calls: Schema.Int })),
  durationMs: Schema.Int
}).annotations({ identifier: "Summary" })

/** Whether a run can be run again, included with `includeRecording`. */
const KeptRecording = Schema.Struct({
  kept: Schema.Boolean.annotations({ description: "false: it has more bytes than limits.recordingBytes" }),
  bytes: Schema.Int.annotations({ description: "of the tapes: what the run was answered from outside" })
}).annotations({ identifier: "KeptRecording" })

/** The data of one execution, successful or not. */
export const ExecuteData = Schema.Struct({
  id: Schema.UUID,
  requestId: Schema.UUID,
  dataRequest: DataRequestRecord,
  dataResult: DataResultRecord,
  signature: Schema.String.pipe(Schema.pattern(/^[0-9a-f]{130}$/)).annotations({ description: "r‖s‖v over the result id" }),
  result: EncodedResult,
  execute: Schema.optional(PhaseRecord),
  tally: Schema.optional(PhaseRecord),
  summary: Schema.optional(SummaryRecord),
  recording: Schema.optional(Schema.NullOr(KeptRecording)).annotations({
    description: "with includeRecording; null if the run was not recorded: a stored result of a run that was not, or the runtime cannot"
  })
}).annotations({ identifier: "ExecuteData" })

/** The copies beside `data` in answers with debug information (decision D1). */
const besideData = {
  dataRequest: Schema.optional(DataRequestRecord),
  dataResult: Schema.optional(DataResultRecord),
  signature: Schema.optional(Schema.String),
  result: Schema.optional(EncodedResult),
  execute: Schema.optional(PhaseRecord),
  tally: Schema.optional(PhaseRecord)
}

/** The answer to a successful execution. */
export const ExecuteResponse = Schema.Struct({
  _tag: Schema.Literal("ExecuteResponse"),
  data: ExecuteData,
  ...besideData
}).annotations({ identifier: "ExecuteResponse" })

/** The answer to an execution that ended with a non-zero exit code, status 599 (decision D16). */
export const FailedExecutionResponse = Schema.Struct({
  _tag: Schema.Literal("FailedExecutionResponse"),
  error: Schema.String.annotations({ description: "which phase failed, with which exit code and why" }),
  message: Schema.String.annotations({ description: "the same text as error" }),
  data: ExecuteData,
  ...besideData
}).annotations({ identifier: "FailedExecutionResponse" })

/** One past run (decision D11). */
export const ReportEntry = Schema.Struct({
  id: Schema.UUID,
  drId: Id,
  executedAt: Schema.String.annotations({ description: "when the run ended, ISO 8601, UTC" }),
  source: Schema.Literal("rest", "ws", "feed"),
  exitCode: Schema.Int.pipe(Schema.between(0, 255)),
  gasUsed: Uint,
  creditsUsed: Uint,
  dataRequest: DataRequestRecord,
  dataResult: DataResultRecord,
  signature: Schema.String.pipe(Schema.pattern(/^[0-9a-f]{130}$/))
}).annotations({ identifier: "ReportEntry" })

/** One page of past runs, newest first. */
export const ReportsRecord = Schema.Struct({
  data: Schema.Array(ReportEntry),
  nextPageId: Schema.NullOr(Schema.String).annotations({ description: "for the next page; null on the last" })
}).annotations({ identifier: "Reports" })

/** What a run would cost, the answer to `dryRun`: nothing ran, nothing was charged. Credits as decimal strings. */
export const QuoteRecord = Schema.Struct({
  worstCase: Uint.annotations({ description: "the credits that a run holds, which is its maximum cost" }),
  typical: Schema.NullOr(Uint).annotations({ description: "the cost of the last run of this request; null if it never ran" }),
  cost: CostRecord.annotations({ description: "the worst case by its parts" }),
  gasPerWorkerMs: Uint.annotations({
    description: "a phase that times out is charged at least this much gas per ms of worker time, within its gas limit"
  }),
  remaining: Uint,
  remainingInPeriod: Schema.NullOr(Uint).annotations({ description: "remaining in the period of the usage limit; null without a limit" }),
  affordable: Schema.Boolean.annotations({ description: "whether a run would be accepted now" })
}).annotations({ identifier: "Quote" })

/** The answer to a dry run. */
export const QuoteResponse = Schema.Struct({
  _tag: Schema.Literal("QuoteResponse"),
  data: Schema.Struct({ drId: Id, quote: QuoteRecord })
}).annotations({ identifier: "QuoteResponse" })

/** The project and the credits of a key. */
export const VerifyRecord = Schema.Struct({
  apiKeyId: Schema.String,
  apiKeyExpiresAt: Schema.NullOr(Schema.String).annotations({ description: "ISO 8601 date, or null" }),
  organizationId: Schema.UUID,
  organizationSlug: Schema.String,
  projectId: Schema.UUID,
  remainingCreditsSnapshot: Uint,
  usedCreditsSnapshot: Uint
}).annotations({ identifier: "Verify" })

const durableFeedFields = {
  feedId: Schema.UUID,
  execute: Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({
    description: "the parameters of each run, as they were given"
  }),
  mode: Schema.Literal("FIXED", "SEQUENTIAL", "PARALLEL"),
  periodicityMs: Schema.Int,
  createdAt: Schema.String.annotations({ description: "ISO 8601, UTC" })
}

/** A durable feed (decision D51). */
export const DurableFeedRecord = Schema.Struct(durableFeedFields).annotations({ identifier: "DurableFeed" })

/** The durable feeds of a project, oldest first. */
export const DurableFeedsRecord = Schema.Struct({ data: Schema.Array(DurableFeedRecord) }).annotations({ identifier: "DurableFeeds" })

/** A durable feed and how it goes. */
export const DurableFeedStateRecord = Schema.Struct({
  ...durableFeedFields,
  hasOwner: Schema.Boolean.annotations({
    description: "whether a server runs it now; after a server's death none does for up to 3 seconds"
  }),
  epoch: Schema.NullOr(Schema.Int).annotations({ description: "when its schedule began, in milliseconds since the Unix epoch" }),
  lastSeq: Schema.NullOr(Schema.Int).annotations({ description: "the number of its last run within the epoch" }),
  lastResultAt: Schema.NullOr(Schema.String).annotations({ description: "when its last run with a result ended; ISO 8601, UTC" }),
  lastFailure: Schema.NullOr(Schema.Struct({ _tag: Schema.String, epoch: Schema.Int, seq: Schema.Int, at: Schema.String })).annotations({
    description: "its last run that was refused or failed, which cost nothing"
  }),
  nextTickAt: Schema.NullOr(Schema.String).annotations({
    description: "when its next run is due; null if that depends on a run in flight; ISO 8601, UTC"
  })
}).annotations({ identifier: "DurableFeedState" })

/** The id of a durable feed that was removed. */
export const RemovedFeedRecord = Schema.Struct({ feedId: Schema.UUID }).annotations({ identifier: "RemovedFeed" })

/** A project's configuration (decision D10). */
export const ProjectRecord = Schema.Struct({
  projectId: Schema.UUID,
  organizationId: Schema.UUID,
  organizationSlug: Schema.String,
  credits: Schema.Struct({ remaining: Uint, used: Uint, held: Uint }),
  usageLimits: Schema.NullOr(Schema.Struct({ periodMs: Schema.Number, limit: Uint, used: Uint })),
  gasLimits: Schema.Struct({ exec: Uint, tally: Uint }),
  allowedPrograms: Schema.NullOr(Schema.Array(Id)).annotations({ description: "null: every program" })
}).annotations({ identifier: "Project" })

const PublicKey = Schema.String.pipe(Schema.pattern(/^[0-9a-f]{66}$/)).annotations({ description: "SEC1 compressed" })

const KeyDate = (description: string) => Schema.NullOr(Schema.String).annotations({ description })

/** A signing key with its time (decision "Rotation"): it has signed a result if `activeFrom` <= `blockTimestamp` < `retiredAt`. */
export const SigningKeyRecord = Schema.Struct({
  publicKey: PublicKey,
  activeFrom: KeyDate("the first timestamp that it signs; null while that is not decided"),
  retiredAt: KeyDate("the first timestamp that it does not sign any more; null: it goes on"),
  validUntil: KeyDate("until then, what it signed is to be accepted; null: without end")
}).annotations({ identifier: "SigningKey" })

/** The service's key and versions (decision D8). */
export const InfoRecord = Schema.Struct({
  publicKey: PublicKey,
  version: Schema.String,
  serverVersion: Schema.String,
  network: Schema.String,
  chainId: Schema.String,
  keys: Schema.optional(Schema.Array(SigningKeyRecord)).annotations({
    description: "every key whose results are to be accepted, and the one that signs next; absent if the service has one for ever"
  })
}).annotations({ identifier: "Info" })

/** The service's health (decision D9). */
export const HealthRecord = Schema.Struct({
  status: Schema.Literal("healthy", "draining"),
  version: Schema.String,
  uptimeMs: Schema.Number
}).annotations({ identifier: "Health" })

/** One part of the service, as `GET /ready` shows it. */
const ReadyCheck = Schema.Literal("ok", "failed")

/** Whether the service can take on runs (decision D9). */
export const ReadyRecord = Schema.Struct({
  status: Schema.Literal("ready", "unready", "draining"),
  checks: Schema.Struct({ database: ReadyCheck, workers: ReadyCheck, signer: ReadyCheck }),
  problems: Schema.Array(Schema.String).annotations({ description: "one line each; empty if the service is ready" })
}).annotations({ identifier: "Ready" })

/** A data proxy, registered or not (decision D19). */
export const DataProxyRecord = Schema.Struct({
  registered: Schema.Boolean,
  name: Schema.String.annotations({ description: "empty if not registered" }),
  publicKey: Schema.String.annotations({ description: "as in the request" }),
  fee: Uint.annotations({ description: "credits for each answer with a status of 200 to 299; 0 if not registered" })
}).annotations({ identifier: "DataProxy" })
