/** A data result: what a run came to, field by field (protocol facts, section 2). */
import { Schema } from "effect"

/** The outcome as it was signed: every field that the result id is made of (protocol facts, section 2). */
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
/** The outcome as it was signed. */
export type DataResult = typeof DataResult.Type
