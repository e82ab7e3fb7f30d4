/**
 * The public names of the core, grouped by who needs them; semantic versioning covers all of them. What only Sibyl's own packages need is
 * in `@sibyl/core/internal`. `docs/api/core.api.md` has every name with its signature.
 */

// Embedders: a service as one value, or as a layer with its inner services.
export { layerService, openService, type ServiceContext, type ServicePorts } from "./edge/service.ts"
export type { Service } from "./edge/transport/seam.ts"
export type { MountPoint } from "./edge/transport/mountPoint.ts"
export { toWebHandler, type WebHandler } from "./edge/transport/webHandler.ts"
export { Credits } from "./services/credits/credits.ts"
export type { SettledRun } from "./services/credits/settledRun.ts"
export type { CompletedRun } from "./services/phases/phaseRun.ts"
export { type AnsweredRun, Execution, type ExecutionRefused, type ExecutionRequest } from "./services/execution.ts"
export { type RunResult } from "./domain/protocol/runResult.ts"
export { type EndedRun, type SignedResult, Signing } from "./services/phases/signing.ts"
export type { PreparedRun } from "./services/phases/preparedRun.ts"
export { Tally } from "./services/phases/tally.ts"
export type { AskedKey } from "./services/programs/programReferences.ts"
export type { Reveal } from "./domain/protocol/phaseInputs.ts"
export type { TallyRefusal } from "./domain/protocol/tallyRefusal.ts"

// Embedders: the options of a service.
export { type Limits, defaultLimits } from "./domain/settings/limits.ts"
export { type GasLimits, defaultGasLimits } from "./domain/settings/gasLimits.ts"
export { type Tariff, defaultTariff } from "./domain/credits/price.ts"
export { localNetwork, Network, type NetworkIdentity } from "./ports/network.ts"
export { Pricing, PricingDefect } from "./services/phases/pricing.ts"
export { InvalidOption } from "./domain/settings/invalidOption.ts"
export { type ExampleRequest, type PayloadField, type ServiceOptions } from "./services/settings/serviceOptions.ts"

// Embedders: the ports that a service needs, and their implementations: stores in memory, and the defaults.
export { type DefaultedPorts, layerDefaultPorts, type RequiredPorts } from "./services/coreServices.ts"
export { layerMemoryStores, type MemoryStores } from "./ports/memory/memoryStores.ts"

// Operators: organizations, projects, keys, programs, names and data proxies, and their errors.
export { Accounts, type JournalQuery, type ListedProject, type RunsQuery } from "./ports/accounts.ts"
export { KeyEnded, KeyNotFound, OrganizationExists, OrganizationNotFound, ProjectNotFound } from "./ports/accountErrors.ts"
export { type AuditDetails, type AuditedChange, type AuditEntry, type AuditPage, AuditTrail } from "./ports/auditTrail/auditTrail.ts"
export { type AuditedStores, layerAuditedStores } from "./ports/auditTrail/auditedStores.ts"
export { DataProxies } from "./ports/dataProxies.ts"
export { Keys, type IssuedKey, type NewKey, type Rotation } from "./ports/keys.ts"
export { ProgramNames } from "./ports/programNames.ts"
export type { ProgramFinding } from "./domain/programs/programFinding.ts"
export { ProgramStore, type StoredProgram } from "./ports/programStore.ts"
export { type NewOrganization, type NewProject, type ProjectChange, Provisioning } from "./ports/provisioning.ts"
export type { KeyRecord, KeyState, ProjectKey } from "./domain/accounts/keyRecord.ts"
export type { Organization } from "./domain/accounts/organization.ts"
export type { Principal, Project, UsageLimit } from "./domain/accounts/project.ts"
export type { ProjectLimit, ProjectSettings, SettingChanges } from "./domain/accounts/projectSettings.ts"
export type { Balance } from "./domain/credits/balance.ts"
export type { EntryKind, JournalEntry } from "./domain/credits/journalEntry.ts"
export type { DataProxy, DataProxyInput } from "./domain/dataProxies/proxyRecord.ts"
export { programIdOf } from "./domain/programs/programId.ts"
export type { NameChange, NamedProgram, NameOwner, ProgramNameInput } from "./domain/programs/programName.ts"
export { InvalidSetting } from "./domain/settings/invalidSetting.ts"

// Authors of VMs, signers and outbound HTTP: the ports that a run uses, and their values.
export { ChainHead, type Head } from "./ports/chainHead.ts"
export { Entropy, entropyOf } from "./ports/entropy.ts"
export { HttpFetch, type OutboundRequest, type OutboundResponse, type RejectedRequest } from "./ports/httpFetch.ts"
export {
  type FollowingTally,
  type Phase,
  type PhaseOutcome,
  type PhaseRequest,
  type AnsweredHostCall,
  type PrefetchUse,
  ProgramRuntime,
  type ProxyUse,
  type PhaseReplication,
  type RunOutcome,
  type RunSignature,
  RuntimeDefect,
  type TallyResult
} from "./ports/programRuntime.ts"
export { type RotatingKeys, Signer, type ThreadSigning } from "./ports/signer.ts"
export { layerRotatingSigner, type RotatingSignerOptions } from "./ports/signing/rotatingSigner.ts"
export { RotationRefused } from "./domain/signingKeys/rotation.ts"
export { signerKeyOf, signerSignatureOf } from "./ports/signing/keyService.ts"
export { keyAt, type ListedKey, type SigningKeyState, signingKeyStateAt } from "./domain/signingKeys/listedKey.ts"
export type { StorageView, StorageWrite } from "./domain/programs/programStorage.ts"

// Authors of stores: the ports, their records, and the errors of an unavailable or faulty store.
export { Directory } from "./ports/directory.ts"
export { DurableFeeds } from "./ports/feeds/durableFeeds.ts"
export { FeedLeases, feedLeaseMs } from "./ports/feeds/feedLeases.ts"
export { FeedRelay } from "./ports/feeds/feedRelay.ts"
export { EncodedText } from "./domain/encoding/encodedText.ts"
export type { OwnersTerm, RelayedLog, RelayedNews, RelayedRelease, RelayedResult } from "./domain/feeds/relayedNews.ts"
export { Freshness, type StoreVersion } from "./ports/freshness.ts"
export { Idempotency } from "./ports/idempotency.ts"
export { type AlsoDated, type AlsoWritten, Ledger, StaleTimestamp } from "./ports/ledger.ts"
export { ProgramStorage } from "./ports/programStorage.ts"
export { type LastResultMode, type PlacedReport, type ReportPosition, type ReportQuery, ResultStore } from "./ports/resultStore.ts"
export { Retention } from "./ports/retention.ts"
export { Tickets } from "./ports/tickets/tickets.ts"
export type {
  BudgetVerdict,
  IssueVerdict,
  TicketAttempt,
  TicketGrant,
  TicketRecord,
  TicketScope,
  TicketTerms,
  TicketVerdict
} from "./domain/tickets/ticket.ts"
export { SharedLimits } from "./services/settings/sharedLimits.ts"
export { StoreCheck } from "./ports/storeCheck.ts"
export { StoreDefect } from "./ports/storeDefect.ts"
export { StoreUnavailable } from "./ports/storeUnavailable.ts"
export type { Hold } from "./domain/credits/balance.ts"
export { DataRequest, type LastResultKey } from "./domain/protocol/dataRequest.ts"
export { DataResult } from "./domain/protocol/dataResult.ts"
export { Cost, ExecutionReport, PhaseReport, ProxyCharge } from "./domain/reports/executionReport.ts"
export type { DurableFeed, FeedEntry, FeedPlace, FeedProgress, FeedTick } from "./domain/feeds/durableFeed.ts"
export type { FeedLease, FeedLeaseInput, FeedLeaseRecord, FeedLeaseVerdict, FeedSchedule } from "./domain/feeds/feedLease.ts"
export type {
  ChargedAnswer,
  IdempotencyClaim,
  IdempotencyInput,
  IdempotencyRecord,
  IdempotencyVerdict,
  KeptAnswer,
  UnchargedAnswer
} from "./domain/runs/idempotency.ts"

// Authors of stores: the decisions as plain functions. A store that reads, decides with them and writes satisfies the laws.
export { checkedJournalQuery, checkedRunsQuery } from "./ports/accounts.ts"
export { checkedNewKey, checkedRotation } from "./ports/keys.ts"
export { type LedgerStore, makeLedger } from "./ports/makeLedger.ts"
export { makeEscrowLedger } from "./ports/escrow/escrowLedger.ts"
export type { EscrowStore } from "./ports/escrow/escrowParts.ts"
export { defaultEscrowPolicy, type EscrowPolicy } from "./ports/escrow/projectEscrows.ts"
export { checkedGrant, checkedOrganization, checkedProject } from "./ports/provisioning.ts"
export { apiKeyEntropyBytes, type MadeApiKey, makeApiKey } from "./domain/accounts/apiKey.ts"
export { keyIdFor, keyOpens, keyRefused, type StoredKey } from "./domain/accounts/authentication.ts"
export { keyStateAt, lastUseIsDue, projectKeysOf, rotatedExpiry } from "./domain/accounts/keyRecord.ts"
export { changedSettings } from "./domain/accounts/projectSettings.ts"
export type { Account, ChargedRun, HoldRefusal } from "./domain/credits/credits.ts"
export { applyOperations, balanceAt, type DrawnOf } from "./domain/credits/applyOperations.ts"
export type {
  DatedRun,
  DateRun,
  DrawnEscrow,
  LedgerChanges,
  LedgerOperation,
  LedgerOutcome,
  PostedReport,
  RequestTime,
  TimedOperation
} from "./domain/credits/ledgerOperation.ts"
export { type LedgerQuery, queryOf, usagePeriodsOf } from "./domain/credits/ledgerQuery.ts"
export {
  type EscrowRecord,
  type EscrowState,
  type HoldRecord,
  type HoldState,
  type LedgerSnapshot,
  periodKey,
  type PeriodUsage,
  type UsagePeriod,
  usagePeriodAt
} from "./domain/credits/ledgerSnapshot.ts"
export { checkedProxy } from "./domain/dataProxies/proxyRecord.ts"
export { byNameAndOwner, checkedProgramName } from "./domain/programs/programName.ts"
export { lastResultKeyOf } from "./domain/reports/lastResultKey.ts"
export { recordKeptMs, scheduleKeptMs } from "./domain/feeds/feedLease.ts"
export { feedRunId } from "./domain/feeds/feedRunId.ts"
export type { Abandonment } from "./domain/runs/abandonment.ts"
export { type ChosenTime, judgeTime, type StoredTime, type TimeVerdict } from "./domain/runs/storedTime.ts"
export { judgeIdempotency, keptMs } from "./domain/runs/idempotency.ts"
export { judgeTicket, keptOn, reserveOf } from "./domain/tickets/ticket.ts"
export { checkedName } from "./domain/settings/displayName.ts"

// Authors of adapters: requests, responses and sockets of a service, and the responses that an adapter gives by itself.
export { answerOf, type AnswerRequest, fetchOf } from "./edge/transport/answering.ts"
export { errorResponse } from "./edge/transport/errorResponse.ts"
export { foreignPathResponse } from "./edge/transport/foreignPath.ts"
export { withoutBodyOfHead } from "./edge/transport/headAnswer.ts"
export { checkedService } from "./edge/transport/checkedService.ts"
export { belowMountPoint, checkedMountPoint } from "./edge/transport/mountPoint.ts"
export { originForm } from "./edge/transport/originForm.ts"
export { BodyUnreadable, type Fetch, type Opening, type Peer } from "./edge/transport/seam.ts"
export type { ServiceRequest, ServiceResponse, Socket } from "./edge/transport/seam.ts"
export { serviceRequestOf, webResponseOf } from "./edge/transport/webHandler.ts"

// Clients: the REST contract, its parameters and its records.
export { Api, apiVersion, BearerKey } from "./contract/api.ts"
export {
  ExecuteBody,
  ExecuteOptions,
  ExecutePostQuery,
  ExecuteQuery,
  LastResultBody,
  LastResultPostQuery,
  LastResultQuery
} from "./contract/executeParams.ts"
export {
  DataProxyRecord,
  DataRequestRecord,
  DataResultRecord,
  DurableFeedRecord,
  ExecuteData,
  ExecuteResponse,
  FailedExecutionResponse,
  HealthRecord,
  InfoRecord,
  PhaseRecord,
  ProjectRecord,
  QuoteRecord,
  QuoteResponse,
  ReadyRecord,
  ReportEntry,
  ReportsRecord,
  SummaryRecord,
  VerifyRecord
} from "./contract/records.ts"
export { ReachedLimit } from "./contract/reachedLimit.ts"
export { KeysRecord } from "./contract/keyEndpoints.ts"
export { RecordingRecord } from "./contract/pastRunEndpoints.ts"
export type { RecordedTape } from "./domain/reports/recordedRun.ts"
export { recordingVersion } from "./contract/recordingFormat.ts"
export type { RecordingAttestation } from "./domain/recordings/attestation.ts"
export { type Recording, readRecording, type UnreadableRecording, writeRecording } from "./domain/recordings/recording.ts"
export {
  type ComparedValue,
  comparisonOf,
  execPhasesOf,
  type PhaseToReplay,
  type ReplayedPhase,
  tallyPhaseOf
} from "./domain/recordings/replayedRun.ts"
export { ProgramRecord, ProgramsRecord } from "./contract/programRecords.ts"
export { ReportsQuery } from "./contract/reportParams.ts"
export type { SignedRecord } from "./domain/protocol/signedRecord.ts"

// Clients: the WebSocket contract.
export { closeCodes } from "./contract/closeCodes.ts"
export {
  AuthorizedNotification,
  failedExecutionCode,
  FeedEndedNotification,
  FeedGapNotification,
  FeedId,
  feedModes,
  FeedResultNotification,
  FeedStartParams,
  RpcError,
  type RpcMethod,
  rpcMethods,
  RpcReply,
  RpcRequest,
  webSocketPath
} from "./contract/rpc.ts"
export { TicketAnswer, TicketBody, webSocketProtocol } from "./contract/tickets.ts"
export type { FeedMode } from "./domain/runs/feedSchedule.ts"

// Clients: every error by its `_tag`, with its HTTP status and JSON-RPC code.
export {
  CreditLimitExceeded,
  type ErrorBody,
  type Failure,
  type FailureFields,
  FeedLimit,
  FeedNotFound,
  FeedOverlapLimit,
  HeadTooLarge,
  IdempotencyKeyReused,
  InsufficientCredits,
  InternalError,
  InvalidParameter,
  InvalidRequest,
  LastResultNotFound,
  RecordingNotFound,
  MethodNotAllowed,
  MethodNotFound,
  NotFound,
  Overloaded,
  PayloadTooLarge,
  OutsideTicket,
  ProgramNotAllowed,
  TicketLimit,
  ProgramNotFound,
  RequestTimeout,
  TooManyConnections,
  Unauthorized,
  Unavailable,
  UnsupportedMediaType,
  UpgradeRequired,
  UriTooLong
} from "./contract/errors.ts"

// Metrics.
export { makeEffectMetrics, type MetricsKept, type Series, type SeriesValue } from "./ports/metrics/effectMetrics.ts"
export { counter, gauge, histogram, type MetricDescriptor, type MetricKind, shortDuration } from "./ports/metrics/metricDescriptor.ts"
export { allMetrics, metricList } from "./ports/metrics/metricList.ts"
export { type Measuring, Metrics } from "./ports/metrics/metrics.ts"
