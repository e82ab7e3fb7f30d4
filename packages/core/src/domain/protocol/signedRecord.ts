/** The part of a response that is signed; whether it holds is what `verify` answers (protocol facts, sections 1 to 3). */
import type { DataRequestRecord, DataResultRecord } from "../../contract/records.ts"

/** The part of a response that is signed, as it came over the wire. */
export interface SignedRecord {
  readonly dataRequest: typeof DataRequestRecord.Type
  readonly dataResult: typeof DataResultRecord.Type
  /** 130 hex characters: r‖s‖v. */
  readonly signature: string
}
