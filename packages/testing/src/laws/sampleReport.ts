/** Reports for the laws: complete, with every kind of value that a store has to keep. */
import type { ExecutionReport } from "@sibyl/core"

/** What a law sets in a report; the rest has defaults. */
export interface SampleReportInput {
  readonly projectId: string
  readonly id: string
  readonly drId?: string
  readonly execProgramId?: string
  readonly execInputs?: Uint8Array
  readonly execGasLimit?: bigint
  readonly exitCode?: number
  readonly executedAtMs: number
  readonly total: bigint
  readonly skippedTally?: boolean
}

const allBytes = Uint8Array.from({ length: 256 }, (_, at) => at)
const phase = {
  result: allBytes,
  gasUsed: 2n ** 64n - 1n,
  stdout: "a line\nand \u0000, \u2028, 🜚",
  stderr: "",
  exitCode: 0
}

/** A complete report of a run. */
export const sampleReport = (input: SampleReportInput): ExecutionReport => {
  const drId = input.drId ?? "d1".repeat(32)
  const exitCode = input.exitCode ?? 0
  return {
    id: input.id,
    projectId: input.projectId,
    source: "rest",
    executedAtMs: input.executedAtMs,
    durationMs: 12,
    dataRequest: {
      version: "0.0.1",
      execProgramId: input.execProgramId ?? "e1".repeat(32),
      execInputs: input.execInputs ?? Uint8Array.of(1, 2, 3),
      execGasLimit: input.execGasLimit ?? 300_000_000_000_000n,
      tallyProgramId: "7a".repeat(32),
      tallyInputs: new Uint8Array(),
      tallyGasLimit: 50_000_000_000_000n,
      replicationFactor: 1,
      consensusFilter: Uint8Array.of(0),
      gasPrice: 0n,
      memo: new Uint8Array()
    },
    dataResult: {
      version: "0.0.1",
      drId,
      consensus: true,
      exitCode,
      result: allBytes,
      blockHeight: 0n,
      blockTimestamp: BigInt(input.executedAtMs),
      gasUsed: 2n ** 65n,
      paybackAddress: new Uint8Array(),
      servicePayload: Uint8Array.of(0, 255)
    },
    signature: "ab".repeat(65),
    execute: { ...phase, exitCode },
    tally: input.skippedTally === true ? null : phase,
    cost: { base: 1n, gas: 2n, dataProxies: 0n, total: input.total },
    proxies: [{ publicKey: "02".repeat(33), fee: 2n ** 70n, calls: 3 }]
  }
}
