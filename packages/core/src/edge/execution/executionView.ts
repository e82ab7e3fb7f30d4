/** A completed run as shown to a client: nesting, key order, encodings, summary (decisions D1 to D3, D12, D16). */
import type { ExecuteOptions } from "../../contract/executeParams.ts"
import { isProgramName } from "../../contract/programName.ts"
import { type Balance, remainingOf } from "../../domain/credits/balance.ts"
import { toHex } from "../../domain/encoding/bytes.ts"
import type { ExecutionReport, PhaseReport } from "../../domain/reports/executionReport.ts"
import { failureReason } from "../../domain/reports/failureReason.ts"
import type { ResponseValue } from "../../domain/encoding/responseJson.ts"
import { encodeResult, type ResultEncoding } from "../../domain/encoding/resultEncoding.ts"
import type { PayloadField, ResolvedOptions } from "../../services/settings/serviceOptions.ts"

type Members = { readonly [name: string]: ResponseValue | undefined }

/** How to show a run. */
export interface ViewRequest {
  readonly report: ExecutionReport
  readonly balance: Balance
  /** Whether a stored run is shown; then this answer cost nothing. */
  readonly cached: boolean
  readonly options: Pick<ExecuteOptions, "encoding" | "execProgramId" | "includeDebugInfo" | "includeRecording" | "includeSummary">
}

/** The request with its program ids, and with the program's name if the client gave one instead of an id. */
export const dataRequestView = ({ dataRequest }: ExecutionReport, asked = ""): Members => ({
  consensusFilter: toHex(dataRequest.consensusFilter),
  execGasLimit: String(dataRequest.execGasLimit),
  execInputs: toHex(dataRequest.execInputs),
  execProgramId: dataRequest.execProgramId,
  execOnsName: isProgramName(asked) ? asked : undefined,
  gasPrice: String(dataRequest.gasPrice),
  memo: toHex(dataRequest.memo),
  replicationFactor: dataRequest.replicationFactor,
  tallyGasLimit: String(dataRequest.tallyGasLimit),
  tallyInputs: toHex(dataRequest.tallyInputs),
  tallyProgramId: dataRequest.tallyProgramId,
  version: dataRequest.version
})

/** The result as signed; the last field's name is an option of the service (decision D2). */
export const dataResultView = ({ dataResult }: ExecutionReport, payloadField: PayloadField): Members => {
  const payload = toHex(dataResult.servicePayload)
  return {
    drId: dataResult.drId,
    gasUsed: String(dataResult.gasUsed),
    blockHeight: String(dataResult.blockHeight),
    blockTimestamp: String(dataResult.blockTimestamp),
    consensus: dataResult.consensus,
    exitCode: dataResult.exitCode,
    version: dataResult.version,
    result: toHex(dataResult.result),
    paybackAddress: toHex(dataResult.paybackAddress),
    servicePayload: payloadField === "sedaPayload" ? undefined : payload,
    sedaPayload: payloadField === "servicePayload" ? undefined : payload
  }
}

const phaseView = (phase: PhaseReport, encoding: ResultEncoding, showsHostCalls: boolean): Members => ({
  result: encodeResult(phase.result, encoding),
  gasUsed: String(phase.gasUsed),
  stdout: phase.stdout,
  stderr: phase.stderr,
  exitCode: phase.exitCode,
  ...(showsHostCalls ? { limits: phase.limits, prefetch: phase.prefetch, hostCalls: phase.hostCalls } : {})
})

const summaryView = ({ balance, cached, report }: ViewRequest): Members => ({
  creditsUsed: cached ? "0" : String(report.cost.total),
  creditsRemaining: String(remainingOf(balance)),
  cost: {
    base: String(report.cost.base),
    gas: String(report.cost.gas),
    dataProxies: String(report.cost.dataProxies),
    total: String(report.cost.total)
  },
  gasUsed: { exec: String(report.execute.gasUsed), tally: String(report.tally?.gasUsed ?? 0n) },
  dataProxies: report.proxies.map(({ calls, fee, publicKey }) => ({ publicKey, fee: String(fee), calls })),
  durationMs: report.durationMs
})

/** Whether the recording of a run can be asked for; `null` if the run was not recorded. */
const recordingView = ({ recorded }: ExecutionReport): ResponseValue =>
  recorded === undefined ? null : { kept: recorded.source !== null, bytes: recorded.bytes }

/** Why the run failed. It comes first, because clients log the beginning of an answer. */
const failureView = (report: ExecutionReport): Members => {
  const text = failureReason(report)
  return { error: text, message: text }
}

/** Whether the client sees the run as failed. */
export const hasFailed = (report: ExecutionReport): boolean => report.dataResult.exitCode !== 0

/** The whole response. `beside` puts the debug copies beside `data`, which JSON-RPC errors never carry. */
export const executionView = (
  request: ViewRequest,
  service: Pick<ResolvedOptions, "payloadField" | "debugBeside" | "showsHostCalls">,
  beside: boolean = service.debugBeside
): Members => {
  const { options, report } = request
  const encoding = options.encoding ?? "hex"
  const outcome: Members = {
    dataRequest: dataRequestView(report, options.execProgramId),
    dataResult: dataResultView(report, service.payloadField),
    signature: report.signature,
    result: encodeResult(report.dataResult.result, encoding)
  }
  const debug: Members =
    options.includeDebugInfo === true
      ? {
          execute: phaseView(report.execute, encoding, service.showsHostCalls),
          tally: report.tally === null ? undefined : phaseView(report.tally, encoding, service.showsHostCalls)
        }
      : {}
  const recording: Members = options.includeRecording === true ? { recording: recordingView(report) } : {}
  const summary: Members = options.includeSummary === true ? { summary: summaryView(request) } : {}
  return {
    _tag: hasFailed(report) ? "FailedExecutionResponse" : "ExecuteResponse",
    ...(hasFailed(report) ? failureView(report) : {}),
    data: { id: report.id, requestId: report.id, ...outcome, ...debug, ...summary, ...recording },
    ...(options.includeDebugInfo === true && beside ? { ...outcome, ...debug } : {})
  }
}
