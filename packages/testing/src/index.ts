/** The test kit: audits of services and adapters, laws of stores, judges of feeds, and tools to run and report them. */
/// <reference types="node" preserve="true" />

// Audits of a service over REST and WebSocket, and tools to run and report them.
export type { Audit, AuditResult, Findings, Level } from "./audits/audit.ts"
export { audit } from "./audits/audit.ts"
export { type Check, same, matches, holds, keysAre } from "./audits/check.ts"
export { printReport } from "./audits/printReport.ts"
export { type AuditProgram, auditPrograms, auditProgramTexts } from "./audits/programs/auditPrograms.ts"
export { endlessProxyProgram, proxyProgram } from "./audits/programs/proxyProgram.ts"
export { dataKeys, dataRequestKeys, dataResultKeys, phaseKeys } from "./audits/rest/wireForms.ts"
export { restAudits } from "./audits/every/restAudits.ts"
export type { Provisioner } from "./audits/provision/means.ts"
export { operatorOf, type OperatorMeans } from "./audits/provision/operator.ts"
export { auditedOrigin, provisionTarget } from "./audits/provision/provisionTarget.ts"
export type { Target } from "./audits/rest/target.ts"
export { type ReportEntry, type Tally, type Report, gradeOf, runAudits } from "./audits/runAudits.ts"
export { type FaultyProxy, openFaultyProxy } from "./audits/ws/faults/faultyProxy.ts"
export { remoteOperator, serveOperator, type ServedOperator } from "./audits/ws/remoteOperator.ts"
export { wsAudits } from "./audits/every/wsAudits.ts"
export type { WsFault } from "./audits/ws/faults/wsFault.ts"
export { wsFaults } from "./audits/ws/faults/wsFaults.ts"
export type { Operator, WsTarget } from "./audits/ws/wsTarget.ts"
export { type MemoryService, openMemoryService } from "./memoryService.ts"
export type { RawAnswer } from "./wire/rawConnection.ts"
export { dial, type Dial, type Dialled, type Ending, type Message, type WireClient } from "./wire/wireClient.ts"

export { type TargetGrade, targetGrades } from "./conformance/targetGrades.ts"

// Audits of an adapter.
export { adapterAudits } from "./adapters/adapterAudits.ts"
export type { AdapterTarget } from "./adapters/adapterTarget.ts"
export { makeMirrorService } from "./adapters/mirrorService.ts"

// Laws of stores.
export { accountLaws } from "./laws/accountLaws.ts"
export { allStoreLaws, type AllStores } from "./laws/allStoreLaws.ts"
export { auditTrailLaws } from "./laws/auditTrailLaws.ts"
export { dataProxyLaws } from "./laws/dataProxyLaws.ts"
export { directoryLaws } from "./laws/directoryLaws.ts"
export { makeHandClock, type HandClock } from "./clock/handClock.ts"
export { durableFeedLaws } from "./laws/durableFeedLaws.ts"
export { feedLeaseLaws } from "./laws/feedLeaseLaws.ts"
export { feedRelayLaws } from "./laws/feedRelayLaws.ts"
export { idempotencyLaws } from "./laws/idempotencyLaws.ts"
export { keyLaws } from "./laws/keyLaws.ts"
export { LawBroken, type Law } from "./laws/form/law.ts"
export { ledgerLaws } from "./laws/ledgerLaws.ts"
export { programStorageLaws } from "./laws/programStorageLaws.ts"
export { programStoreLaws } from "./laws/programStoreLaws.ts"
export { provisioningLaws } from "./laws/provisioningLaws.ts"
export { alarmLaws } from "./laws/runs/alarmLaws.ts"
export { chainHeadLaws } from "./laws/runs/chainHeadLaws.ts"
export { entropyLaws } from "./laws/runs/entropyLaws.ts"
export { httpFetchLaws, type MakeHttpFetch } from "./laws/runs/httpFetchLaws.ts"
export { programRuntimeLaws } from "./laws/runs/programRuntimeLaws.ts"
export { signerLaws } from "./laws/runs/signerLaws.ts"
export { resultStoreLaws } from "./laws/resultStoreLaws.ts"
export { ticketLaws } from "./laws/ticketLaws.ts"
export { retentionLaws } from "./laws/retentionLaws.ts"
export { sampleReport, type SampleReportInput } from "./laws/sampleReport.ts"
export type { MakeStores, Stores } from "./laws/form/stores.ts"

// Feeds: simulated time, traffic, and the judge of observations.
export { makeSimClock, type SimClock } from "./clock/simClock.ts"
export { makeSimRuntime, type SimRuntime } from "./clock/simRuntime.ts"
export { type FeedLaw, type ModelRun, startAfter, startsAfter } from "./feeds/feedModel.ts"
export {
  type PlannedRun,
  type PlannedFeed,
  type PlannedConnection,
  type FeedTraffic,
  type Grain,
  feedTraffic
} from "./feeds/feedTraffic.ts"
export { judgeFeed } from "./feeds/judgeFeed.ts"
export type { FeedObservation, ObservedResult, ObservedRun, RunOutcome } from "./feeds/observation.ts"
export { type DeliveredResult, type FeedParts, type StartFeed, type WatchedFeed, playTraffic } from "./feeds/playTraffic.ts"
export type { FeedLawName, FeedViolation } from "./feeds/violation.ts"
export { type HeardFrame, type WireWatch, observeWire } from "./feeds/wireObservation.ts"

// Property-based traffic: `conforms(target)` for fast-check, the auditor, and a target on simulated time.
export { type TrafficRule, trafficRules, type TrafficViolation } from "./traffic/auditor/violation.ts"
export { auditHistory } from "./traffic/auditor/auditHistory.ts"
export { type Ask, type Command, commandText, type Request, type Template, type Who } from "./traffic/commands/command.ts"
export { conforms, type PlayedSequence, playSequence, type TrafficOptions } from "./traffic/conforms.ts"
export type { Frame, Grant, History, KeyHistory, Moment, RestAnswer, RestCall, SocketHistory, Span } from "./traffic/history/history.ts"
export { askedHost, askingProgram } from "./traffic/play/askingProgram.ts"
export { trafficOperatorOf } from "./traffic/play/trafficOperator.ts"
export type { TrafficClock, TrafficOperator, TrafficTarget, TrafficUpstream } from "./traffic/play/trafficTarget.ts"
export type { SocketEars, TrafficWire, WireAnswer, WireRequest, WireSocket } from "./traffic/play/trafficWire.ts"
export { openSimTarget, type SimPorts, type SimTargetOptions } from "./traffic/sim/openSimTarget.ts"

// Ports for what tests start.
export { freePort } from "./daemon/freePort.ts"

// A NATS server for tests.
export { findNatsServer, whyNoNats } from "./nats/natsServerProgram.ts"
export { startNats, type TestNats, type TestNatsOptions } from "./nats/startNats.ts"

// A PostgreSQL for tests.
export { findPostgres, whyNoPostgres } from "./postgres/postgresPrograms.ts"
export { sharedPostgres } from "./postgres/sharedPostgres.ts"
export { startPostgres, type TestPostgresOptions, type TestPostgres } from "./postgres/startPostgres.ts"
