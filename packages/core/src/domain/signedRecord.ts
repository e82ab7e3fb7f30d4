/** Checking a received execution: its drId, its result id and who signed it, from the records alone (protocol facts, sections 1 to 3). */
import type { DataRequestRecord, DataResultRecord } from "../contract/records.ts"
import { fromHex } from "./bytes.ts"
import { dataRequestIdOf } from "./dataRequestId.ts"
import { dataResultIdOf } from "./dataResultId.ts"
import type { DataRequest, DataResult } from "./executionReport.ts"
import { recoverSigner } from "./resultSignature.ts"

/** The part of a response that is signed, as it came over the wire. */
export interface SignedRecord {
  readonly dataRequest: typeof DataRequestRecord.Type
  readonly dataResult: typeof DataResultRecord.Type
  /** 130 hex characters: r‖s‖v. */
  readonly signature: string
}

const bytes = (hex: string): Uint8Array => fromHex(hex) ?? new Uint8Array()

/** The request that a record stands for. */
export const dataRequestFrom = (record: SignedRecord["dataRequest"]): DataRequest => ({
  version: record.version,
  execProgramId: record.execProgramId,
  execInputs: bytes(record.execInputs),
  execGasLimit: BigInt(record.execGasLimit),
  tallyProgramId: record.tallyProgramId,
  tallyInputs: bytes(record.tallyInputs),
  tallyGasLimit: BigInt(record.tallyGasLimit),
  replicationFactor: record.replicationFactor,
  consensusFilter: bytes(record.consensusFilter),
  gasPrice: BigInt(record.gasPrice),
  memo: bytes(record.memo)
})

/** The result that a record stands for. */
export const dataResultFrom = (record: SignedRecord["dataResult"]): DataResult => ({
  version: record.version,
  drId: record.drId,
  consensus: record.consensus,
  exitCode: record.exitCode,
  result: bytes(record.result),
  blockHeight: BigInt(record.blockHeight),
  blockTimestamp: BigInt(record.blockTimestamp),
  gasUsed: BigInt(record.gasUsed),
  paybackAddress: bytes(record.paybackAddress),
  servicePayload: bytes(record.servicePayload ?? record.sedaPayload ?? "")
})

/** Whether the record answers its own request and `publicKey` (compressed, lowercase hex) signed it. */
export const isSignedBy = (publicKey: string, { dataRequest, dataResult, signature }: SignedRecord): boolean =>
  dataRequestIdOf(dataRequestFrom(dataRequest)) === dataResult.drId &&
  recoverSigner(dataResultIdOf(dataResultFrom(dataResult)), bytes(signature)) === publicKey
