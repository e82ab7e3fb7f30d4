/** A data request: what is asked for, field by field (protocol facts, section 1). */
import { Schema } from "effect"

/** The request as it was identified: every field that the drId is made of (protocol facts, section 1). */
export const DataRequest = Schema.Struct({
  version: Schema.String,
  execProgramId: Schema.String,
  execInputs: Schema.Uint8ArrayFromBase64,
  execGasLimit: Schema.BigInt,
  tallyProgramId: Schema.String,
  tallyInputs: Schema.Uint8ArrayFromBase64,
  tallyGasLimit: Schema.BigInt,
  replicationFactor: Schema.Int,
  consensusFilter: Schema.Uint8ArrayFromBase64,
  gasPrice: Schema.BigInt,
  memo: Schema.Uint8ArrayFromBase64
})
/** The request as it was identified. */
export type DataRequest = typeof DataRequest.Type

/** The four values under which a project's last result is found again; gas limits do not count (decision D28). */
export type LastResultKey = Pick<DataRequest, "execProgramId" | "execInputs" | "tallyProgramId" | "tallyInputs">
