/** The report of a previous run, from the few values that a program sees of it. */
import type { ExecutionReport } from "@sibyl/core"

/** The previous result of the same request, as the program sees it. */
export interface LastResultInput {
  readonly result: Uint8Array
  /** Default 0. */
  readonly exitCode?: number
  /** When that run ended, epoch milliseconds. Default: a minute ago. */
  readonly timestampMs?: number
}

const none = new Uint8Array()

/**
 * The report that a result store returns for it at a time in epoch milliseconds. A program sees the result, the exit code and the time; all
 * other members are empty.
 */
export const lastReportOf = (projectId: string, last: LastResultInput, nowMs: number): ExecutionReport => {
  const { exitCode = 0, result, timestampMs = nowMs - 60_000 } = last
  const programId = "00".repeat(32)
  return {
    id: projectId,
    projectId,
    source: "rest",
    executedAtMs: nowMs,
    durationMs: 0,
    dataRequest: {
      version: "0.0.1",
      execProgramId: programId,
      execInputs: none,
      execGasLimit: 0n,
      tallyProgramId: programId,
      tallyInputs: none,
      tallyGasLimit: 0n,
      replicationFactor: 1,
      consensusFilter: Uint8Array.of(0),
      gasPrice: 0n,
      memo: none
    },
    dataResult: {
      version: "0.0.1",
      drId: "00".repeat(32),
      consensus: true,
      exitCode,
      result,
      blockHeight: 0n,
      blockTimestamp: BigInt(Math.floor(timestampMs)),
      gasUsed: 0n,
      paybackAddress: none,
      servicePayload: none
    },
    signature: "00".repeat(65),
    execute: { result, gasUsed: 0n, stdout: "", stderr: "", exitCode },
    tally: null,
    cost: { base: 0n, gas: 0n, dataProxies: 0n, total: 0n },
    proxies: []
  }
}
