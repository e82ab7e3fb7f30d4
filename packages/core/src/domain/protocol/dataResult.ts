/** A data result: the outcome of a run, field by field (decisions D22, D23). */
import { Schema } from "effect"

/** The signed outcome: every field that is hashed into the result id. */
export const DataResult = Schema.Struct({
  version: Schema.String,
  drId: Schema.String,
  consensus: Schema.Boolean,
  exitCode: Schema.Int,
  result: Schema.Uint8ArrayFromBase64,
  blockHeight: Schema.BigInt,
  blockTimestamp: Schema.BigInt,
  gasUsed: Schema.BigInt,
  paybackAddress: Schema.Uint8ArrayFromBase64,
  servicePayload: Schema.Uint8ArrayFromBase64
})
/** The signed outcome: every field that is hashed into the result id. */
export type DataResult = typeof DataResult.Type
