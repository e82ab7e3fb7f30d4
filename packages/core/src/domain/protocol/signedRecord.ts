/** The signed part of a response; `verify` checks it (docs/VERIFYING.md). */
import type { DataRequestRecord, DataResultRecord } from "../../contract/records.ts"

/** The signed part of a response, as received. */
export interface SignedRecord {
  readonly dataRequest: typeof DataRequestRecord.Type
  readonly dataResult: typeof DataResultRecord.Type
  /** 130 hex characters: r‖s‖v. */
  readonly signature: string
}
