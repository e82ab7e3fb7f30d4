/** What a check of a response answers: the signed values, or the first reason why it is refused. */
import type { DataRequest } from "../domain/protocol/dataRequest.ts"
import type { DataResult } from "../domain/protocol/dataResult.ts"

/** Why a response is refused. */
export type RefusalReason =
  /** No request, result and signature are in it. */
  | "notAResponse"
  /** A field is absent, of another type or out of its range. */
  | "malformed"
  /** A record of another protocol version. */
  | "unsupportedVersion"
  /** The key signed this result, for another request than the one shown. */
  | "requestChanged"
  /** With the drId of the request that is shown, the key's signature would fit. */
  | "drIdChanged"
  /** Request and drId do not fit, and the key signed neither. */
  | "drIdMismatch"
  /** The s of the signature is in the upper half of the order, which no verifier on a chain takes. */
  | "signatureHighS"
  /** The recovery id is not 0, 1, 27 or 28. */
  | "signatureV"
  /** No key could have made the signature. */
  | "signatureInvalid"
  /** Another key signed: a result or signature that was changed looks the same. */
  | "wrongSigner"
  /** The key of another network signed. */
  | "wrongNetwork"
  /** A copy outside of the signed part says something else than the signed part. */
  | "copyChanged"
  /** Signed, but of another data request than expected. */
  | "wrongDrId"
  /** Signed, but of another program than expected. */
  | "wrongProgram"
  /** Signed, but the program failed or there was no consensus. */
  | "notSuccessful"
  /** Signed longer ago than is allowed. */
  | "tooOld"
  /** Signed for a time that is still to come. */
  | "fromTheFuture"
  /** What to check against was not said, or not in its form. */
  | "badOption"

/** A response that holds. Read prices from here, not from the copies of the response. */
export interface Verified {
  readonly ok: true
  /** 64 lowercase hex characters, derived again from the request. */
  readonly drId: string
  /** 64 lowercase hex characters: what was signed. */
  readonly resultId: string
  /** The compressed key that signed, 66 lowercase hex characters. */
  readonly publicKey: string
  /** The name under which that key was given; `undefined` when one key was given without a network. */
  readonly network: string | undefined
  readonly dataRequest: DataRequest
  /** The signed outcome: `result` as bytes, `blockTimestamp` in milliseconds since the Unix epoch. */
  readonly dataResult: DataResult
}

/** A response that does not hold. */
export interface Refused {
  readonly ok: false
  readonly reason: RefusalReason
  /** Where it is wrong, as `dataResult.drId`, where that can be told. */
  readonly field: string | undefined
  /** The same for people. */
  readonly message: string
}

/** What a check answers. */
export type Verdict = Verified | Refused

/** A refusal. */
export const refused = (reason: RefusalReason, message: string, field?: string): Refused => ({
  ok: false,
  reason,
  field,
  message
})
