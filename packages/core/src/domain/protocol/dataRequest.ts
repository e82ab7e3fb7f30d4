/** A data request, field by field (decision D22). */
import { Schema } from "effect"

/** A data request: every field that is hashed into the drId. */
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
/** A data request: every field that is hashed into the drId. */
export type DataRequest = typeof DataRequest.Type

/** The four values that identify a project's last result; gas limits do not count (decision D28). */
export type LastResultKey = Pick<DataRequest, "execProgramId" | "execInputs" | "tallyProgramId" | "tallyInputs">
