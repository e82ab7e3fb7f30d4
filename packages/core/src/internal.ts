/**
 * What Sibyl's own packages share and nobody else should import: `@sibyl/core/internal` may change in any release, whatever the version
 * number. A name that others need moves to `@sibyl/core`.
 */

// Bytes, numbers, UUIDs and names in messages.
export { fromBase64, fromBigEndian, fromHex, fromUtf8, toBase64, toHex, toUtf8, toUtf8Lossy } from "./domain/encoding/bytes.ts"
export { hashKeccak256With, keccak256 } from "./domain/encoding/keccak256.ts"
export { survivesDouble } from "./domain/encoding/survivesDouble.ts"
export { isRecalling, withdrawnOf } from "./ports/makeLedger.ts"
export { uuidOf } from "./domain/encoding/uuid.ts"
export { brokenCount } from "./domain/settings/brokenCount.ts"
export { checkNames } from "./domain/settings/checkNames.ts"
export { didYouMean } from "./domain/settings/nearestName.ts"

// Rules that the command line checks before a store does.
export { readHexId } from "./contract/hexId.ts"
export { KnownLimit, type LimitName } from "./contract/reachedLimit.ts"
export { isProgramName, programNameRule } from "./contract/programName.ts"
export { readApiKey } from "./domain/accounts/apiKey.ts"
export { checkedExpiry, checkedOverlap, maxOverlapMs } from "./domain/accounts/keyRecord.ts"
export { checkedSlug, slugRule } from "./domain/accounts/organization.ts"
export { defaultSettings, usagePeriodMs } from "./domain/accounts/projectSettings.ts"
export { leastOfLimit, mostOfLimit } from "./domain/settings/limits.ts"
export { ticketKeptMs } from "./domain/tickets/ticket.ts"
export { allowsHost, hostPatternRule, readHostPattern } from "./domain/settings/hostPattern.ts"
export { isOrigin, originRule } from "./domain/settings/origin.ts"
export { remainingOf } from "./domain/credits/balance.ts"
export { worstPriceOf } from "./domain/credits/price.ts"
export { usageLimitMisfit } from "./domain/credits/usageLimitFit.ts"
export { proxyKeyOf, proxyKeyRule } from "./domain/dataProxies/proxyKey.ts"
export { maxProxyFeeCredits } from "./domain/dataProxies/proxyRecord.ts"

// The protocol of data proxies, for the VM and for the proxies of the devkit.
export { isProxySignature, type ProxiedExchange, proxyAnswerDigest, proxyHeaderNames } from "./domain/dataProxies/proxyAnswer.ts"
export { fastProofDigest, fastProofHeader, fastProofHeaderName, readFastProof } from "./domain/dataProxies/proxyProof.ts"
export { recoverSigner } from "./domain/protocol/resultSignature.ts"

// Signing keys and their rotation, for the stores and the commands that keep them.
export {
  activateKey,
  type Activation,
  announceKey,
  comingAt,
  leastNoticeMs,
  retireKey,
  type Rotated
} from "./domain/signingKeys/rotation.ts"
export { signsAt } from "./domain/signingKeys/listedKey.ts"
export { publicKeyOfSecret, signDigest } from "./ports/signer.ts"

// The way from an execution phase to its tally phase, for runtimes that run both.
export { type TallyBase, tallyBaseOf } from "./domain/protocol/phaseInputs.ts"
export { dataRequestIdOf } from "./domain/protocol/dataRequestId.ts"
export { dataResultIdOf } from "./domain/protocol/dataResultId.ts"
export { dataResultOf, runResultOf } from "./domain/protocol/runResult.ts"
export { revealOf, type TallyDecision, tallyDecisionOf } from "./domain/protocol/tallyDecision.ts"

// When whoever was refused for overload may come again.
export { Leaving } from "./domain/runs/abandonment.ts"
export { RecentMap } from "./domain/encoding/recentMap.ts"
export { TransientMap } from "./domain/encoding/transientMap.ts"
export { memoized } from "./domain/encoding/memoized.ts"
export { retryAfterSeconds } from "./domain/runs/retryAfter.ts"

// Program storage, as the VM reads and writes it during a run.
export { keysAfter, storageHex, storageLimits, storedValue } from "./domain/programs/programStorage.ts"

// Parts of a service, for the server that schedules them and for measurements.
export { serviceNames } from "./services/settings/serviceOptions.ts"
export { Alarm, type SetAlarm } from "./ports/alarm.ts"
export { logFailed } from "./ports/logs/logFailed.ts"
export { type LogPart, logPart, logParts } from "./domain/settings/logPart.ts"
export { type AccessLine, AccessLog, type AccessLogging, writeLine } from "./services/logs/accessLog.ts"
export { timeOrderedUuidOf } from "./ports/entropy.ts"
export { layerCoreServices } from "./services/coreServices.ts"
export { resolveOptions } from "./services/settings/serviceOptions.ts"
export {
  type BeginSpan,
  noteOnSpan,
  type SpanFacts,
  spanBeginnerOf,
  spanHere,
  spanOutside,
  traced,
  traceStateOf
} from "./services/fibers/traced.ts"
export { readTraceParent, readTraceState, traceParentOf, type TracePlace } from "./domain/encoding/traceParent.ts"
export { type BreakTaking, TurnBreaks } from "./services/fibers/turnBreaks.ts"
export { layerWholeMilliseconds } from "./services/fibers/wholeMilliseconds.ts"
export { WorkOwner, workOf } from "./services/fibers/workOwner.ts"

// Stores in memory whose state outlives their servers, for the simulation of servers that crash.
export { balanceOf as memoryBalanceOf, performOperation } from "./ports/memory/memoryLedger.ts"
export { emptyState, type MemoryState } from "./ports/memory/memoryState.ts"
export { memoryStoresOver } from "./ports/memory/memoryStores.ts"
export { countChanges } from "./ports/memory/countChanges.ts"
