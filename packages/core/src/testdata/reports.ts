/** A request, a report and their parts, simple enough to be changed in one place by a test. */
import { dataRequestIdOf } from "../domain/protocol/dataRequestId.ts"
import type { DataRequest } from "../domain/protocol/dataRequest.ts"
import type { ExecutionReport, PhaseReport } from "../domain/reports/executionReport.ts"
import { fromUtf8 } from "../domain/encoding/bytes.ts"

/** A request with the network's fixed values, as every project with the default gas limits makes it. */
export const aRequest: DataRequest = {
  version: "0.0.1",
  execProgramId: "ab".repeat(32),
  execInputs: new Uint8Array(),
  execGasLimit: 300_000_000_000_000n,
  tallyProgramId: "cd".repeat(32),
  tallyInputs: new Uint8Array(),
  tallyGasLimit: 50_000_000_000_000n,
  replicationFactor: 1,
  consensusFilter: Uint8Array.of(0),
  gasPrice: 0n,
  memo: new Uint8Array()
}

/** A successful phase that printed something on both outputs. */
export const aPhase: PhaseReport = {
  result: fromUtf8('{"price": 1.50}'),
  gasUsed: 24_235_163_456_250n,
  stdout: "one\n",
  stderr: "two",
  exitCode: 0
}

/** A successful run of {@link aRequest}. */
export const aReport: ExecutionReport = {
  id: "9ed08e34-6273-4304-a6d2-4bb55539384e",
  projectId: "0b1e1c9c-18b5-4638-82b3-7f6839d2bfb4",
  source: "rest",
  executedAtMs: 1_774_850_103_000,
  durationMs: 632,
  dataRequest: aRequest,
  dataResult: {
    version: "0.0.1",
    drId: dataRequestIdOf(aRequest),
    consensus: true,
    exitCode: 0,
    result: aPhase.result,
    blockHeight: 0n,
    blockTimestamp: 1_774_850_103_632n,
    gasUsed: 34_938_534_731_250n,
    paybackAddress: new Uint8Array(),
    servicePayload: new Uint8Array()
  },
  signature: `${"11".repeat(64)}00`,
  execute: aPhase,
  tally: { ...aPhase, gasUsed: 10_703_371_275_000n, stdout: "", stderr: "" },
  cost: { base: 1n, gas: 35n, dataProxies: 6n, total: 42n },
  proxies: [{ publicKey: `02${"ef".repeat(32)}`, fee: 3n, calls: 2 }]
}
